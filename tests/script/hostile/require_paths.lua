-- expect: ok
for _, name in ipairs { "../hostile/lib/good", "/etc/passwd", "lib/good", "lib..good", ".good", "good.", "", ("x"):rep(500), "lib\0.good", "nothing" } do
  assert(not pcall(require, name), name)
end
assert(require "lib.good" == require "lib.good")
assert(require "lib.good".answer == 42)
