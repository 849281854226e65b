require "lib.circle"
