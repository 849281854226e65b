-- mode: verify
-- answer: GET /api/v1/namespaces/learn/services/web%3A80/proxy/hello 200 hi
-- answer: POST /api/v1/namespaces/learn/pods/web-a%3A8080/proxy/ 404 no
-- answer: GET /api/v1/namespaces/learn/services/lost%3A80/proxy/ 503 {"kind":"Status","apiVersion":"v1","code":503,"reason":"ServiceUnavailable","message":"no endpoints available for service \"lost\""}
return { run = function(k, state)
  local answer = k:http("service/web:80", "/hello")
  expect(answer.status == 200 and answer.body == "hi" and answer.error == nil, "1")
  answer = k:http("pod/web-a:8080", "/", { method = "POST" })
  expect(answer.status == 404 and answer.body == "no", "2")
  answer = k:http("service/lost:80", "/")
  expect(answer.status == 503 and type(answer.error) == "string", answer.error)
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text cannot reach services lost:80 in namespace learn: no endpoints available for service "lost"/cannot reach services lost:80 in namespace learn: no endpoints available for service "lost"
