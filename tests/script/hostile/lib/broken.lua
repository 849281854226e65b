local a = 1
one two
