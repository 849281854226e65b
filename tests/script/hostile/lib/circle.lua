require "lib.circle2"
