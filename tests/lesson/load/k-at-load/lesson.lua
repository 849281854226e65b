k:get("pods", "x")
return lesson {}
