require "requireslink.lib"
