-- expect: error ~ "too many elements"
table.move({}, 1, 3e7, 2)
