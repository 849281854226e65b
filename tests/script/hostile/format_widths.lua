-- expect: error ~ "invalid conversion"
string.format("%99999d", 1)
