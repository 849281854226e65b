-- expect: error ~ "error_from_c.lua:2: bad argument #1 to 'rep'"
string.rep()
