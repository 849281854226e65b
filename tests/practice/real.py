"""A real cluster as the comparing programs ask it: a kubeconfig with a client certificate, one kept connection."""
import base64
import http.client
import json
import os
import re
import ssl
import tempfile


class Server:
    def __init__(self, kubeconfig, agent):
        with open(kubeconfig, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            def file_of(key):
                inline = re.search(key + r'-data:\s*"?([^"\s]+)', text)
                if not inline:
                    return re.search(key + r':\s*"?([^"\s]+)', text).group(1)
                path = os.path.join(folder, key)
                with open(path, "wb") as file:
                    file.write(base64.b64decode(inline.group(1)))
                return path

            self.context = ssl.create_default_context(cafile=file_of("certificate-authority"))
            self.context.load_cert_chain(file_of("client-certificate"), file_of("client-key"))
        self.host = re.search(r'server:\s*"?https://([^\s"]+)', text).group(1)
        self.agent = agent
        self.connection = None

    def ask(self, method, path, body=None, content="application/json"):
        """(status, document); once more on a new connection where the kept one was closed"""
        headers = {"User-Agent": self.agent, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = content
            body = json.dumps(body).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")  # as Go's clients
        for _ in range(2):
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(self.host, context=self.context, timeout=60)
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                return answer.status, json.loads(answer.read() or b"{}")
            except (http.client.HTTPException, OSError):
                self.connection = None
        return 500, {"message": "This request caused apiserver to panic. Look in the logs for details."}
