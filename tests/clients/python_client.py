#!/usr/bin/env python3
"""The Python client (PyPI `kubernetes`) on a cluster: its dynamic client with every served kind of objects.yaml, and its typed calls for what people use most.

    python_client.py KUBECONFIG      prints a line a kind, and `N kinds, N failed`
"""
import os
import sys
import time
import traceback

import yaml
from kubernetes import client, config, dynamic, watch
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError

NAMESPACE = f"clients-python-{os.getpid()}"  # of its own for each run


def one_kind(api, document):
    group, _, version = document["apiVersion"].rpartition("/")
    resource = api.resources.get(api_version=document["apiVersion"], kind=document["kind"])
    where = {"namespace": NAMESPACE} if resource.namespaced else {}
    name = document["metadata"]["name"]
    created = api.create(resource, body=document, **where)
    assert created.metadata.uid and created.kind == document["kind"], created
    got = api.get(resource, name=name, **where)
    assert got.metadata.resourceVersion, got
    listed = api.get(resource, **where)
    assert any(item.metadata.name == name for item in listed.items), "not in the list"
    seen = next(event for event in resource.watch(timeout=5, **where) if event["object"].metadata.name == name)
    assert seen["type"] == "ADDED", seen["type"]
    patched = api.patch(resource, name=name, body={"metadata": {"labels": {"patched": "yes"}}}, content_type="application/merge-patch+json", **where)
    assert patched.metadata.labels["patched"] == "yes"
    for attempt in range(10 if document["kind"] != "ControllerRevision" else 0):  # again, for controllers write, too; a revision's bytes may not change, not even in their order
        whole = api.get(resource, name=name, **where).to_dict()
        whole["metadata"]["annotations"] = dict(whole["metadata"].get("annotations") or {}, replaced="yes")
        try:
            replaced = api.replace(resource, body=whole, **where)
            break
        except ConflictError:
            if attempt == 9:
                raise
    assert document["kind"] == "ControllerRevision" or replaced.metadata.annotations["replaced"] == "yes"
    applied = api.server_side_apply(resource, body={"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": {"name": name, "labels": {"applied": "yes"}}},
                                    field_manager="python", force_conflicts=True, **where) if document["kind"] not in NO_APPLY else None
    assert applied is None or applied.metadata.labels["applied"] == "yes"
    api.delete(resource, name=name, body={"gracePeriodSeconds": 0} if document["kind"] == "Pod" else None, **where)
    return group, version


NO_APPLY = {"CustomResourceDefinition", "ControllerRevision", "PodTemplate", "ReplicationController", "Event"}  # an apply without their required fields is refused, rightly


def typed():
    core, apps, rbac = client.CoreV1Api(), client.AppsV1Api(), client.RbacAuthorizationV1Api()
    core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(generate_name="typed-"), data={"a": "b"}))
    assert len(core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name!=kube-root-ca.crt").items) >= 1
    labels = {"app": "typed"}
    apps.create_namespaced_deployment(NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name="typed"), spec=client.V1DeploymentSpec(
        replicas=0, selector=client.V1LabelSelector(match_labels=labels),
        template=client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="busybox")])))))
    scale = apps.read_namespaced_deployment_scale("typed", NAMESPACE)
    assert not scale.spec.replicas  # 0 is left out
    apps.patch_namespaced_deployment_scale("typed", NAMESPACE, {"spec": {"replicas": 0}})
    assert apps.read_namespaced_deployment_status("typed", NAMESPACE).metadata.name == "typed"
    assert rbac.list_cluster_role().items
    seen = 0
    for _ in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, timeout_seconds=2):
        seen += 1
    assert seen >= 1
    review = client.AuthorizationV1Api().create_self_subject_access_review(client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(
        resource_attributes=client.V1ResourceAttributes(verb="create", resource="pods", namespace=NAMESPACE))))
    assert review.status.allowed
    token = core.create_namespaced_service_account_token("default", NAMESPACE, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=3600)))
    assert token.status.token.count(".") == 2
    apps.delete_collection_namespaced_deployment(NAMESPACE)
    core.delete_collection_namespaced_config_map(NAMESPACE)


def main():
    config.load_kube_config(sys.argv[1])
    core = client.CoreV1Api()
    try:
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    except client.exceptions.ApiException as fault:
        if fault.status != 409:
            raise
    for _ in range(200):
        try:
            core.read_namespaced_service_account("default", NAMESPACE)
            break
        except client.exceptions.ApiException:
            time.sleep(0.05)
    api = dynamic.DynamicClient(client.ApiClient())
    here = os.path.dirname(os.path.abspath(__file__))
    text = open(os.path.join(here, "objects.yaml"), encoding="utf-8").read().replace("NAMESPACE", NAMESPACE)
    kinds, failed = 0, 0
    for document in yaml.safe_load_all(text):
        kinds += 1
        title = f"{document['apiVersion']} {document['kind']}"
        try:
            one_kind(api, document)
            print("ok   ", title)
        except (Exception, NotFoundError, ResourceNotFoundError) as fault:  # every kind is tried, whatever one of them does
            failed += 1
            print("FAIL ", title, type(fault).__name__, " ".join(str(getattr(fault, "body", fault)).split())[-600:])
    try:
        typed()
        print("ok    typed calls")
    except Exception as fault:
        failed += 1
        print("FAIL  typed calls", traceback.format_exc()[-1500:])
    core.delete_namespace(NAMESPACE)
    print(f"{kinds} kinds, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
