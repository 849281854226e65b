-- mode: do
-- answer: GET /api/v1/namespaces/learn/pods/web-a 200 {"kind":
return { run = function(k, state)
  k:get("pods", "web-a")
end }
-- expect: error broken_json.lua:4: the server's answer to "get pods web-a in namespace learn" cannot be read / the text ends where a value was expected
