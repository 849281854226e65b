"""Ten thousand Pods that nobody runs: a scheduler of their own that does not exist takes them, so they cost the API server and nothing else."""
import threading, time

COUNT, HANDS = 10000, 8


def pod(number):
    """As large as an ordinary one: about 4.7 KB as the server gives it."""
    name = f"foreign-{number:05}"
    probe = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10}
    variables = [{"name": f"SETTING_{i}", "value": f"value number {i} of {name}"} for i in range(8)]
    container = {"name": "web", "image": "registry.example/team/web:1.27.3", "imagePullPolicy": "IfNotPresent", "env": variables,
                 "ports": [{"name": "http", "containerPort": 8080}], "readinessProbe": probe, "livenessProbe": probe,
                 "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}}
    labels = {"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": f"web-{number % 100}", "pod-template-hash": "6c9b5d7f4"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
            "spec": {"schedulerName": "nobody", "containers": [container], "nodeSelector": {"kubernetes.io/hostname": "no-such-node"}}}


def create(api, ns, count=COUNT):
    """Makes the namespace and the Pods; returns the seconds it took."""
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": ns}})
    while api.request("GET", f"/api/v1/namespaces/{ns}/serviceaccounts/default")[0] == 404:
        time.sleep(0.1)
    began, faults = time.monotonic(), []

    def work(hand):
        try:
            own = type(api).__new__(type(api))
            own.__dict__.update(api.__dict__, connection=None)
            for number in range(hand, count, HANDS):
                own.request("POST", f"/api/v1/namespaces/{ns}/pods", pod(number))
        except Exception as fault:
            faults.append(fault)
    hands = [threading.Thread(target=work, args=(hand,)) for hand in range(HANDS)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    if faults:
        raise faults[0]
    return time.monotonic() - began
