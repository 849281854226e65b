// Prints bodies of a file, one a line, each with what Go's protobuf serializer makes of it, in base64 (tests/practice/schema/protobuf/*.txt).
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

func main() {
	_ = apiextensionsv1.AddToScheme(scheme.Scheme)
	_ = metricsv1beta1.AddToScheme(scheme.Scheme)
	metav1.AddToGroupVersion(scheme.Scheme, schema.GroupVersion{Version: "v1"})
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if lines.Text() == "" || lines.Text()[0] == '#' || lines.Text()[0] == '=' {
			continue
		}
		decoder := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{})
		object, _, err := decoder.Decode(lines.Bytes(), nil, nil)
		if err != nil {
			panic(err)
		}
		var out bytes.Buffer
		if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &out); err != nil {
			panic(err)
		}
		fmt.Printf("%s\n= %s\n", lines.Text(), base64.StdEncoding.EncodeToString(out.Bytes()))
	}
}
