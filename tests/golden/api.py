"""As much of the Kubernetes API as the golden screens need: one namespace with ConfigMaps, which a case creates, changes and deletes; list, watch, apply."""
import http.server, json, queue, threading, urllib.parse

RESOURCES = {"configmaps": ("ConfigMap", ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"])}


class Cluster:
    def __init__(self, namespace="kt"):
        self.namespace = namespace
        self.objects, self.version, self.watchers, self.lock = {}, 100, [], threading.Lock()
        cluster = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                cluster.get(self)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
                rules = {"resourceRules": [everything], "nonResourceRules": [], "incomplete": False}
                body["status"] = rules if "selfsubjectrulesreviews" in self.path else {"allowed": True}
                self.answer(201, body)

            def do_PATCH(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(200, cluster.put(self.path.split("?")[0].rsplit("/", 1)[1], "salty"))

            def answer(self, code, body):
                text = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        with self.lock:
            for watcher in self.watchers:
                watcher.put(None)
        self.server.shutdown()
        self.server.server_close()

    def change(self, kind, thing):
        self.version += 1
        thing["metadata"]["resourceVersion"] = str(self.version)
        for watcher in self.watchers:
            watcher.put({"type": kind, "object": json.loads(json.dumps(thing))})
        return thing

    def put(self, name, taste):
        with self.lock:
            fresh = name not in self.objects
            thing = self.objects.setdefault(name, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
                "name": name, "namespace": self.namespace, "uid": f"uid-{name}", "creationTimestamp": "2026-01-01T00:00:00Z"}})
            thing["data"] = {"taste": taste}
            return self.change("ADDED" if fresh else "MODIFIED", thing)

    def delete(self, name):
        with self.lock:
            self.change("DELETED", self.objects.pop(name))

    def get(self, request):
        url = urllib.parse.urlparse(request.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        collection = f"/api/v1/namespaces/{self.namespace}/configmaps"
        fixed = {
            "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
            "/api/v1/namespaces/kube-system": {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "kube-system", "uid": "the-cluster"}},
            f"/api/v1/namespaces/{self.namespace}": {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": self.namespace, "uid": "the-namespace"}},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
                {"name": name, "singularName": name[:-1], "namespaced": True, "kind": kind, "verbs": verbs} for name, (kind, verbs) in RESOURCES.items()]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
        }
        if url.path in fixed:
            request.answer(200, fixed[url.path])
        elif url.path == collection and query.get("watch") in ("1", "true"):
            self.watch(request, int(query.get("resourceVersion") or 0))
        elif url.path == collection:
            with self.lock:
                request.answer(200, {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)}, "items": list(self.objects.values())})
        elif url.path.startswith(collection + "/") and url.path.rsplit("/", 1)[1] in self.objects:
            request.answer(200, self.objects[url.path.rsplit("/", 1)[1]])
        else:
            request.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": f"{url.path} not found"})

    def watch(self, request, since):
        events = queue.Queue()
        with self.lock:
            for thing in self.objects.values():
                if int(thing["metadata"]["resourceVersion"]) > since:
                    events.put({"type": "ADDED", "object": json.loads(json.dumps(thing))})
            self.watchers.append(events)
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        try:
            while (event := events.get()) is not None:
                line = json.dumps(event).encode() + b"\n"
                request.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        except OSError:
            pass
        request.close_connection = True
