-- expect: error ~ "%b is not available"
string.find("(x)", "%b()")
