// Package check validates the manifests of deploy without a cluster: they are
// built as kubectl builds them, strictly decoded, defaulted and validated by
// the API server's own code, and those of KEDA by KEDA's schema.
//
// It is a separate module, to keep Kubernetes out of plat's dependencies.
package check

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	security "k8s.io/pod-security-admission/api"
	securitypolicy "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// keda is the release whose schema is used.
const keda = "github.com/kedacore/keda/v2@v2.21.0"

// build returns the objects of a kustomization, as YAML.
func build(t *testing.T, dir string) [][]byte {
	t.Helper()
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, r := range m.Resources() {
		b, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no objects", dir)
	}
	return all
}

// judge decodes a Kubernetes object as the API server does: unknown and
// duplicate fields are errors, defaults are filled in, then it is validated.
func judge(y []byte) (runtime.Object, error) {
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	o, _, err := codecs.UniversalDeserializer().Decode(y, nil, nil)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(o)
	inner, err := legacyscheme.Scheme.UnsafeConvertToVersion(o.DeepCopyObject(), runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	var errs field.ErrorList
	switch i := inner.(type) {
	case *apps.Deployment:
		errs = appsvalidation.ValidateDeployment(i, corevalidation.PodValidationOptions{})
	case *apps.DaemonSet:
		errs = appsvalidation.ValidateDaemonSet(i, corevalidation.PodValidationOptions{})
	case *core.Service:
		if i.Spec.ClusterIP != "" {
			i.Spec.ClusterIPs = []string{i.Spec.ClusterIP} // as the server does before validation
		}
		errs = corevalidation.ValidateServiceCreate(i)
	case *core.ConfigMap:
		errs = corevalidation.ValidateConfigMap(i)
	case *core.ServiceAccount:
		errs = corevalidation.ValidateServiceAccount(i)
	case *policy.PodDisruptionBudget:
		errs = policyvalidation.ValidatePodDisruptionBudget(i, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *networking.NetworkPolicy:
		errs = networkingvalidation.ValidateNetworkPolicy(i, networkingvalidation.NetworkPolicyValidationOptions{})
	default:
		errs = field.ErrorList{field.InternalError(nil, errUnknown(y))}
	}
	return o, errs.ToAggregate()
}

type errUnknown []byte

func (e errUnknown) Error() string { return "no validator for this kind of object:\n" + string(e) }

// schemas returns KEDA's kinds, each with its validator.
func schemas(t *testing.T) map[string]func(any) error {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", keda).Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", keda, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "config/crd/bases/keda.sh_*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no definitions: %v", keda, err)
	}
	all := map[string]func(any) error{}
	for _, f := range files {
		var crd extensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(read(t, f), &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			var inner apiextensions.JSONSchemaProps
			if err := extensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &inner, nil); err != nil {
				t.Fatal(err)
			}
			validator, _, err := validation.NewSchemaValidator(&inner)
			if err != nil {
				t.Fatal(err)
			}
			structure, err := schema.NewStructural(&inner)
			if err != nil {
				t.Fatal(err)
			}
			all[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = func(o any) error {
				errs := validation.ValidateCustomResource(nil, o, validator)
				for _, path := range pruning.PruneWithOptions(o, structure, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
					errs = append(errs, field.Forbidden(field.NewPath(path), "there is no such field"))
				}
				return errs.ToAggregate()
			}
		}
	}
	return all
}

func kindOf(t *testing.T, y []byte) (string, map[string]any) {
	t.Helper()
	var o map[string]any
	if err := yaml.UnmarshalStrict(y, &o); err != nil {
		t.Fatal(err)
	}
	u := unstructured.Unstructured{Object: o}
	return u.GetAPIVersion() + " " + u.GetKind(), o
}

func TestEveryObjectIsAccepted(t *testing.T) {
	custom := schemas(t)
	seen := map[string]bool{}
	for _, dir := range []string{"../kubernetes", "../kubernetes/node"} {
		for _, y := range build(t, dir) {
			kind, o := kindOf(t, y)
			seen[kind] = true
			var err error
			if valid := custom[kind]; valid != nil {
				err = valid(o)
			} else {
				_, err = judge(y)
			}
			if err != nil {
				t.Errorf("%s: %s %s: %v", dir, kind, (&unstructured.Unstructured{Object: o}).GetName(), err)
			}
		}
	}
	for _, want := range []string{"apps/v1 Deployment", "policy/v1 PodDisruptionBudget", "keda.sh/v1alpha1 ScaledObject", "networking.k8s.io/v1 NetworkPolicy", "apps/v1 DaemonSet"} {
		if !seen[want] {
			t.Errorf("there is no %s", want)
		}
	}
}

// The checks must be able to fail.
func TestWrongObjectsAreRefused(t *testing.T) {
	custom := schemas(t)
	for _, dir := range []string{"../kubernetes", "../kubernetes/node"} {
		for _, y := range build(t, dir) {
			kind, o := kindOf(t, y)
			for name, spoil := range map[string]func(map[string]any){
				"an unknown field": func(o map[string]any) { o["spec"].(map[string]any)["replcas"] = int64(3) },
				"a wrong type":     func(o map[string]any) { o["spec"] = "three" },
			} {
				u := (&unstructured.Unstructured{Object: o}).DeepCopy()
				if u.Object["spec"] == nil {
					continue
				}
				spoil(u.Object)
				var err error
				if valid := custom[kind]; valid != nil {
					err = valid(u.Object)
				} else {
					bad, _ := yaml.Marshal(u.Object)
					_, err = judge(bad)
				}
				if err == nil {
					t.Errorf("%s with %s is accepted", kind, name)
				}
			}
		}
	}
}

// podOf returns the pod of a Deployment.
func podOf(t *testing.T, name string) (template corev1.PodTemplateSpec) {
	t.Helper()
	for _, y := range build(t, "../kubernetes") {
		if kind, o := kindOf(t, y); kind == "apps/v1 Deployment" && (&unstructured.Unstructured{Object: o}).GetName() == name {
			part, _, err := unstructured.NestedMap(o, "spec", "template")
			if err != nil {
				t.Fatal(err)
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(part, &template); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(template.Spec.Containers) != 1 {
		t.Fatalf("the pod of %s has not one container", name)
	}
	return template
}

// deployments are the names of all Deployments.
var deployments = []string{"plat-worker", "plat-serve"}

func TestPodsMeetTheRestrictedStandard(t *testing.T) {
	evaluator, err := securitypolicy.NewEvaluator(securitypolicy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := security.LevelVersion{Level: security.LevelRestricted, Version: security.LatestVersion()}
	judged := func(pod corev1.PodTemplateSpec) (reasons []string) {
		for _, r := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !r.Allowed {
				reasons = append(reasons, r.ForbiddenReason+": "+r.ForbiddenDetail)
			}
		}
		return reasons
	}
	for _, name := range deployments {
		pod := podOf(t, name)
		for _, r := range judged(pod) {
			t.Errorf("%s: %s", name, r)
		}
		pod.Spec.SecurityContext.SeccompProfile = nil
		if len(judged(pod)) == 0 {
			t.Errorf("%s without a seccomp profile passes as well: the check is ineffective", name)
		}
	}
}

// The parts reference each other by labels, ports and names, which no schema checks.
func TestReferencesBetweenPartsAreValid(t *testing.T) {
	pods := map[string]corev1.PodTemplateSpec{}
	for _, name := range deployments {
		pods[name] = podOf(t, name)
	}
	profile := *pods["plat-worker"].Spec.SecurityContext.SeccompProfile.LocalhostProfile
	if want := filepath.Join("/seccomp", profile); !strings.Contains(string(slices.Concat(build(t, "../kubernetes/node")...)), want) {
		t.Errorf("the pod uses the profile %s, but %s is not installed on the node", profile, want)
	}
	if !strings.Contains(string(read(t, "../../Dockerfile")), "/usr/share/plat/seccomp.json") {
		t.Error("the image has no profile to be put on the node")
	}
	for _, y := range build(t, "../kubernetes") {
		kind, o := kindOf(t, y)
		var path []string
		switch kind {
		case "apps/v1 Deployment", "policy/v1 PodDisruptionBudget":
			path = []string{"spec", "selector", "matchLabels"}
		case "networking.k8s.io/v1 NetworkPolicy":
			path = []string{"spec", "podSelector", "matchLabels"}
		case "v1 Service":
			path = []string{"spec", "selector"}
		case "keda.sh/v1alpha1 ScaledObject":
			if name, _, _ := unstructured.NestedString(o, "spec", "scaleTargetRef", "name"); name != "plat-worker" {
				t.Errorf("the autoscaler scales %q", name)
			}
			continue
		default:
			continue
		}
		labels, _, err := unstructured.NestedStringMap(o, path...)
		if err != nil || len(labels) == 0 {
			t.Errorf("%s selects nothing: %v", kind, err)
		}
		name := (&unstructured.Unstructured{Object: o}).GetName()
		for k, v := range labels {
			if pods[name].Labels[k] != v { // each part is named as its Deployment
				t.Errorf("%s %s selects %s=%s, which its pod lacks", kind, name, k, v)
			}
		}
		if kind == "v1 Service" {
			ports, _, _ := unstructured.NestedSlice(o, "spec", "ports")
			if port := pods[name].Spec.Containers[0].Ports[0]; len(ports) != 1 || ports[0].(map[string]any)["targetPort"] != port.Name {
				t.Errorf("the service %s sends to %v, the pod has %v", name, ports, port)
			}
		}
	}
	for name, pod := range pods {
		c := pod.Spec.Containers[0]
		if len(c.Ports) != 1 || c.LivenessProbe.HTTPGet.Port.StrVal != c.Ports[0].Name || c.ReadinessProbe.HTTPGet.Port.StrVal != c.Ports[0].Name {
			t.Errorf("%s: the probes use ports %v, the container has %v", name, c.LivenessProbe.HTTPGet.Port, c.Ports)
		}
		secrets := map[string]bool{}
		for _, v := range pod.Spec.Volumes {
			if v.Secret != nil {
				for _, i := range v.Secret.Items {
					secrets["/run/secrets/plat/"+i.Path] = true
				}
			}
		}
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s: there is no volume %s", name, m.Name)
			}
		}
		for _, e := range c.Env {
			if strings.HasSuffix(e.Name, "_FILE") && !secrets[e.Value] {
				t.Errorf("%s: %s names %s, which is no file of a secret", name, e.Name, e.Value)
			}
		}
	}
}

// A server on all addresses refuses to start without a token, and must be asked at its port.
func TestServeHasATokenAndItsPort(t *testing.T) {
	c := podOf(t, "plat-serve").Spec.Containers[0]
	value := map[string]string{}
	for _, e := range c.Env {
		value[e.Name] = e.Value
	}
	if want := fmt.Sprintf("0.0.0.0:%d", c.Ports[0].ContainerPort); !slices.Equal(c.Args, []string{"serve"}) || value["PLAT_LISTEN"] != want || value["PLAT_TOKEN_FILE"] == "" {
		t.Errorf("it runs %v with %v, at port %d", c.Args, value, c.Ports[0].ContainerPort)
	}
}
