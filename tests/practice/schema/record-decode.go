// Prints bodies and what Go's typed decoding of them and encoding again gives (tests/practice/schema/decode/*.txt): lines of
// BODY, then = OBJECT or ! ERROR, then ? COMPLAINT for each of fieldValidation. The first argument names a file of bodies, one a line;
// further ones are samples (k8s.io/api/testdata/HEAD/*.json), of which COUNT (environment) broken variants are made.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// What defaulting does to every list of resources.
func roundUp(v reflect.Value) {
	switch v.Kind() {
	case reflect.Ptr:
		if !v.IsNil() {
			roundUp(v.Elem())
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).IsExported() {
				roundUp(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			roundUp(v.Index(i))
		}
	case reflect.Map:
		if list, ok := v.Interface().(corev1.ResourceList); ok {
			for key, quantity := range list {
				quantity.RoundUp(resource.Milli)
				list[key] = quantity
			}
		}
	}
}

type stored interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func show(body string) {
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{Strict: true})
	plain := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{})
	object, _, err := strict.Decode([]byte(body), nil, nil)
	complaints := []string{}
	if err != nil && runtime.IsStrictDecodingError(err) {
		s, _ := runtime.AsStrictDecodingError(err)
		for _, one := range s.Errors() {
			complaints = append(complaints, one.Error())
		}
		err = nil
	}
	if runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) || runtime.IsMissingVersion(err) {
		return
	}
	if err != nil {
		fmt.Printf("%s\n! %v\n", body, err)
		return
	}
	gvk := object.GetObjectKind().GroupVersionKind()
	roundUp(reflect.ValueOf(object))
	if through, ok := object.(stored); ok {
		data, err := through.Marshal()
		if err == nil {
			fresh := reflect.New(reflect.TypeOf(object).Elem()).Interface().(stored)
			if err = fresh.Unmarshal(data); err == nil {
				object = fresh.(runtime.Object)
				object.GetObjectKind().SetGroupVersionKind(gvk)
			}
		}
	}
	var out bytes.Buffer
	if err := plain.Encode(object, &out); err != nil {
		return
	}
	// encoding/json writes <, > and & in strings as \u003c ...: the same document
	text := strings.TrimSpace(out.String())
	for from, to := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
		text = strings.ReplaceAll(text, from, to)
	}
	fmt.Printf("%s\n= %s\n", body, text)
	for _, one := range complaints {
		fmt.Printf("? %s\n", one)
	}
}

var values = []string{`null`, `true`, `false`, `0`, `1`, `-1`, `1.5`, `3.0`, `1e3`, `99999999999`, `99999999999999999999999`, `""`, `"x"`, `"5"`, `[]`, `{}`, `[null]`, `[5]`,
	`["x"]`, `[{}]`, `{"a":5}`, `{"a":null}`, `{"name":"x"}`, `"2020-01-01T00:00:00Z"`, `"2020-01-01T00:00:00.123456+01:00"`, `"1500m"`, `"1024Mi"`, `"0.0001"`, `"1e3"`, `"1.5Gi"`, `"12e6"`, `0.5`, `"2020-02-29T23:59:59.999+23:59"`, `"2021-02-29T00:00:00Z"`, `"\u00e9\n\u0041"`, `"YQ=="`, `"YR=="`, `"Y"`}

var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:?|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\],]`)

// Breaks a compact document: other values, keys twice, unknown keys.
func mutate(text string) string {
	for n := rand.Intn(3); n >= 0; n-- {
		spots := token.FindAllStringIndex(text, -1)
		spot := spots[rand.Intn(len(spots))]
		word := text[spot[0]:spot[1]]
		replacement := word
		switch {
		case strings.HasSuffix(word, ":"):
			kind := rand.Intn(4)
			if n > 0 && kind == 1 {
				kind = 0 // so that nothing changes the null afterwards
			}
			switch kind {
			case 0:
				replacement = `"unknown` + strconv.Itoa(rand.Intn(3)) + `":`
			case 1:
				replacement = word + "null," + word // of another type, Go says so; ours looks at the last only
			case 2:
				replacement = `"foo":{"a":1,"a":2},` + word
			case 3:
				replacement = strings.ToUpper(word[:2]) + word[2:]
			}
		case strings.ContainsAny(word[:1], `"0123456789-tfn`):
			replacement = values[rand.Intn(len(values))]
		}
		changed := text[:spot[0]] + replacement + text[spot[1]:]
		if json.Valid([]byte(changed)) {
			text = changed
		}
	}
	return text
}

// Leaves out most of a document, so that cases stay small.
func thin(v interface{}, keep float64) interface{} {
	switch x := v.(type) {
	case map[string]interface{}:
		for key := range x {
			if key != "apiVersion" && key != "kind" && key != "metadata" && key != "spec" && rand.Float64() > keep {
				delete(x, key)
			} else {
				x[key] = thin(x[key], keep)
			}
		}
	case []interface{}:
		for i := range x {
			x[i] = thin(x[i], keep)
		}
	}
	return v
}

func main() {
	_ = apiextensionsv1.AddToScheme(scheme.Scheme)
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if lines.Text() != "" {
			show(lines.Text())
		}
	}
	samples := os.Args[2:]
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	for made := 0; made < count; {
		data, err := os.ReadFile(samples[rand.Intn(len(samples))])
		if err != nil {
			panic(err)
		}
		var object interface{}
		_ = json.Unmarshal(data, &object)
		text, _ := json.Marshal(thin(object, 0.2+0.6*rand.Float64()))
		body := mutate(string(text))
		if len(body) > 1500 {
			continue
		}
		show(body)
		made++
	}
}
