-- mode: verify
-- answer: GET /api/v1/namespaces/learn/pods/web-a/log 200 one two
return { run = function(k, state)
  expect(k:logs("web-a", { container = "web", tail = 5, previous = true }) == "one two", "log")
  expect(k:logs(k:get("pods", "web-a")) == "one two", "1")
  k:logs("nobody")
end }
-- expect: error logs.lua:6: cannot read the log of pod nobody in namespace learn: pods "nobody" not found
-- expect: holds :  |  |  | text log/log
-- expect: holds :  |  |  | text 1/1
