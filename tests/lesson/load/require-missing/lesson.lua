require "requires.nothing"
