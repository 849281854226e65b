-- expect: ok
-- names of labels are searched one by one; a file has at most 32767
pcall(require, "lib.labels")
