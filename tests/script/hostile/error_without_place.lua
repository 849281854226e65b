-- expect: error ~ "error_without_place.lua:2: no place"
error("no place", 0)
