-- expect: error ~ "the pattern is longer than 1000 bytes"
string.find("x", ("a?"):rep(600))
