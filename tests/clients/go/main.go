// client-go's and controller-runtime's own ways on a cluster.
//
//	clients every KUBECONFIG OBJECTS.yaml    each kind: typed body in protobuf where the kind has one, then the dynamic client's verbs and an informer
//	clients manager KUBECONFIG               a controller-runtime manager with a CRD of its own starts, lists, watches and patches
//
// Prints a line a thing, and `N kinds, N failed`.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// of its own for each run: one that is being deleted takes nothing new
var namespace = fmt.Sprintf("clients-go-%d", os.Getpid())

func must(err error) {
	if err != nil {
		fmt.Println("FAIL ", err)
		os.Exit(1)
	}
}

func configOf(path string) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	must(err)
	config.QPS, config.Burst = 1000, 1000
	return config
}

func makeNamespace(ctx context.Context, typed *kubernetes.Clientset) {
	_, err := typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil && !strings.Contains(err.Error(), "already exists") {
		must(err)
	}
	for i := 0; i < 200; i++ {
		if _, err = typed.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{}); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	must(err)
}

// protobufCreate posts the typed object the way kubectl and controllers do.
func protobufCreate(ctx context.Context, config *rest.Config, mapping *meta.RESTMapping, document []byte) error {
	typed := rest.CopyConfig(config)
	typed.ContentType = runtime.ContentTypeProtobuf
	typed.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	group := mapping.GroupVersionKind.GroupVersion()
	typed.GroupVersion = &group
	typed.APIPath = "/apis"
	if group.Group == "" {
		typed.APIPath = "/api"
	}
	typed.NegotiatedSerializer = serializer.WithoutConversionCodecFactory{CodecFactory: scheme.Codecs}
	rester, err := rest.RESTClientFor(typed)
	if err != nil {
		return err
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
	if err != nil {
		return err
	}
	request := rester.Post().Resource(mapping.Resource.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		request = request.Namespace(namespace)
	}
	return request.Body(object).Do(ctx).Error()
}

func oneKind(ctx context.Context, config *rest.Config, clients dynamic.Interface, mapper meta.RESTMapper, document []byte) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(document, &object.Object); err != nil {
		return err
	}
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	var way dynamic.ResourceInterface = clients.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		way = clients.Resource(mapping.Resource).Namespace(namespace)
	}
	name := object.GetName()
	if scheme.Scheme.Recognizes(kind) {
		text, err := yaml.YAMLToJSON(document)
		if err != nil {
			return err
		}
		if err := protobufCreate(ctx, config, mapping, text); err != nil {
			return fmt.Errorf("protobuf create: %w", err)
		}
	} else if _, err := way.Create(ctx, object, metav1.CreateOptions{FieldValidation: "Strict"}); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	got, err := way.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	list, err := way.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	watcher, err := way.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer watcher.Stop()
	if err := informed(ctx, clients, mapping, name); err != nil {
		return err
	}
	if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // controllers write, too
		fresh, err := way.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		fresh.SetLabels(map[string]string{"updated": "yes"})
		_, err = way.Update(ctx, fresh, metav1.UpdateOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	for {
		select {
		case event := <-watcher.ResultChan():
			changed, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				return fmt.Errorf("watch: %v", event)
			}
			if changed.GetName() != name || changed.GetLabels()["updated"] != "yes" {
				continue
			}
		case <-time.After(10 * time.Second):
			return fmt.Errorf("watch: no event of the update in 10 s")
		}
		break
	}
	if _, err = way.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"patched":"yes"}}}`), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("merge patch: %w", err)
	}
	if _, err = way.Patch(ctx, name, types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/labels/json","value":"yes"}]`), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("json patch: %w", err)
	}
	if err = way.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr(got.GetUID())}}); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return nil
}

func ptr[T any](value T) *T { return &value }

func informed(ctx context.Context, clients dynamic.Interface, mapping *meta.RESTMapping, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(clients, 0)
	informer := factory.ForResource(mapping.Resource).Informer()
	found := make(chan struct{}, 1)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if object.(*unstructured.Unstructured).GetName() == name {
			select {
			case found <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	select {
	case <-found:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("an informer did not see it in 15 s")
	}
}

func every(kubeconfig, objects string) {
	ctx := context.Background()
	config := configOf(kubeconfig)
	typed, err := kubernetes.NewForConfig(config)
	must(err)
	makeNamespace(ctx, typed)
	found, err := discovery.NewDiscoveryClientForConfig(config)
	must(err)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	clients, err := dynamic.NewForConfig(config)
	must(err)
	text, err := os.ReadFile(objects)
	must(err)
	kinds, failed := 0, 0
	for _, document := range bytes.Split(bytes.ReplaceAll(text, []byte("NAMESPACE"), []byte(namespace)), []byte("\n---\n")) {
		kinds++
		title := &metav1.TypeMeta{}
		must(yaml.Unmarshal(document, title))
		if err := oneKind(ctx, config, clients, mapper, document); err != nil {
			failed++
			fmt.Println("FAIL ", title.APIVersion, title.Kind, err)
		} else {
			fmt.Println("ok   ", title.APIVersion, title.Kind)
		}
	}
	must(typed.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	fmt.Printf("%d kinds, %d failed\n", kinds, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

var greeting = schema.GroupVersionKind{Group: "hello.example.com", Version: "v1", Kind: "Greeting"}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: greetings.hello.example.com}
spec:
  group: hello.example.com
  scope: Namespaced
  names: {plural: greetings, singular: greeting, kind: Greeting}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {name: {type: string}}}, status: {type: object, properties: {said: {type: string}}}}}}
`

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(greeting)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if object.GetDeletionTimestamp() != nil {
		controllerutil.RemoveFinalizer(object, "hello.example.com/bye")
		return ctrl.Result{}, r.Update(ctx, object)
	}
	if controllerutil.AddFinalizer(object, "hello.example.com/bye") {
		return ctrl.Result{}, r.Update(ctx, object)
	}
	name, _, _ := unstructured.NestedString(object.Object, "spec", "name")
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: object.GetName(), Namespace: object.GetNamespace()}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"hello": name}
		return controllerutil.SetControllerReference(object, config, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := object.DeepCopy()
	must(unstructured.SetNestedField(object.Object, "hello "+name, "status", "said"))
	return ctrl.Result{}, r.Status().Patch(ctx, object, client.MergeFrom(before))
}

func manager(kubeconfig string) {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config := configOf(kubeconfig)
	typed, err := kubernetes.NewForConfig(config)
	must(err)
	makeNamespace(ctx, typed)
	clients, err := dynamic.NewForConfig(config)
	must(err)
	crd := &unstructured.Unstructured{}
	must(yaml.Unmarshal([]byte(definition), &crd.Object))
	definitions := clients.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	_ = definitions.Delete(ctx, crd.GetName(), metav1.DeleteOptions{}) // of a run that was cut short
	wait(ctx, "the definition of a run before to go", func() bool {
		_, err = definitions.Create(ctx, crd, metav1.CreateOptions{})
		return err == nil
	})
	defer definitions.Delete(context.Background(), crd.GetName(), metav1.DeleteOptions{})
	for i := 0; i < 100; i++ {
		if _, err = clients.Resource(schema.GroupVersionResource{Group: greeting.Group, Version: "v1", Resource: "greetings"}).List(ctx, metav1.ListOptions{}); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	must(err)
	boss, err := ctrl.NewManager(config, ctrl.Options{LeaderElection: true, LeaderElectionID: "hello.example.com", LeaderElectionNamespace: namespace, Metrics: server.Options{BindAddress: "0"}})
	must(err)
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(greeting)
	must(ctrl.NewControllerManagedBy(boss).For(object).Owns(&corev1.ConfigMap{}).Owns(&appsv1.Deployment{}).Complete(&reconciler{boss.GetClient()}))
	go func() { must(boss.Start(ctx)) }()
	one := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"name": "world"}}}
	one.SetGroupVersionKind(greeting)
	one.SetName("one")
	one.SetNamespace(namespace)
	direct := boss.GetClient()
	must(direct.Create(ctx, one))
	wait(ctx, "the status", func() bool {
		got, err := clients.Resource(schema.GroupVersionResource{Group: greeting.Group, Version: "v1", Resource: "greetings"}).Namespace(namespace).Get(ctx, "one", metav1.GetOptions{})
		said := ""
		if err == nil {
			said, _, _ = unstructured.NestedString(got.Object, "status", "said")
		}
		return said == "hello world"
	})
	must(typed.CoreV1().ConfigMaps(namespace).Delete(ctx, "one", metav1.DeleteOptions{}))
	wait(ctx, "the ConfigMap again", func() bool {
		_, err := typed.CoreV1().ConfigMaps(namespace).Get(ctx, "one", metav1.GetOptions{})
		return err == nil
	})
	must(direct.Delete(ctx, one))
	wait(ctx, "the finalizer's end", func() bool {
		_, err := clients.Resource(schema.GroupVersionResource{Group: greeting.Group, Version: "v1", Resource: "greetings"}).Namespace(namespace).Get(ctx, "one", metav1.GetOptions{})
		return err != nil
	})
	wait(ctx, "the garbage collector", func() bool {
		_, err := typed.CoreV1().ConfigMaps(namespace).Get(ctx, "one", metav1.GetOptions{})
		return err != nil
	})
	must(typed.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	fmt.Println("ok    the manager started, was elected, listed, watched, patched, owned and let go")
}

func wait(ctx context.Context, what string, done func() bool) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if done() {
			return
		}
	}
	must(fmt.Errorf("waited 20 s for %s", what))
}

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "every":
		every(os.Args[2], os.Args[3])
	case len(os.Args) == 3 && os.Args[1] == "manager":
		manager(os.Args[2])
	default:
		fmt.Println("usage: clients every KUBECONFIG OBJECTS.yaml | clients manager KUBECONFIG")
		os.Exit(2)
	}
}
