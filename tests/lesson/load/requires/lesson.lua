local lib = require "requires.lib"
return lib
