"""A small HTTP server that always knows the answer: enough of an API server for one Deployment and a watch of it."""
import http.server, json, threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if "watch=" in query:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.server.end.wait()
            return
        answer = self.server.answers.get(path)
        body = json.dumps(answer if answer is not None else {"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}).encode()
        self.send_response(200 if answer is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that ended


class Answers:
    def __init__(self, answers):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.answers, self.server.end = answers, threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.end.set()
        self.server.shutdown()


def deployment(name, ns, variables):
    """A Deployment whose container has so many variables."""
    env = [{"name": f"SETTING_{i}", "value": f"value {i}"} for i in range(variables)]
    labels = {"app": name}
    return {"metadata": {"name": name, "namespace": ns, "uid": "1", "resourceVersion": "5", "generation": 1, "labels": labels},
            "spec": {"replicas": 3, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx", "env": env}]}}},
            "status": {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "availableReplicas": 3}}


def cluster_with(item, ns):
    """Discovery of Deployments, and a list of this one."""
    verbs = ["create", "delete", "get", "list", "patch", "update", "watch"]
    resource = {"name": "deployments", "singularName": "deployment", "namespaced": True, "kind": "Deployment", "verbs": verbs, "shortNames": ["deploy"]}
    apps = {"groupVersion": "apps/v1", "version": "v1"}
    return {"/api": {"kind": "APIVersions", "versions": []},
            "/apis": {"kind": "APIGroupList", "groups": [{"name": "apps", "versions": [apps], "preferredVersion": apps}]},
            "/apis/apps/v1": {"kind": "APIResourceList", "groupVersion": "apps/v1", "resources": [resource]},
            f"/apis/apps/v1/namespaces/{ns}/deployments": {"kind": "DeploymentList", "apiVersion": "apps/v1", "metadata": {"resourceVersion": "5"}, "items": [item]}}
