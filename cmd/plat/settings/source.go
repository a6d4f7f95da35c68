package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"

	"plat/plat/decodeerror"
	"plat/plat/nearest"
)

// EnvPrefix begins the names of environment variables: PLAT_ALLOW_PRIVATE is
// allow-private.
const EnvPrefix = "PLAT_"

// secrets may also come from a file that PLAT_…_FILE names, as container
// orchestrators hand them out.
var secrets = [...]string{"store", "redis", "auth", "header", "proxy", "token", "redis-password"}

// delimiter of koanf's paths: our keys are flat, and host names contain dots.
const delimiter = "\x00"

// Environ is an environment: "NAME=value"; of two with one name the later holds.
type Environ []string

// Get is the value of a variable, empty if it is not set.
func (e Environ) Get(name string) string {
	for _, v := range slices.Backward(e) {
		if k, v, ok := strings.Cut(v, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// Source has values of settings from an environment, and where that says nothing from
// the files of secrets that it names, or else from a configuration file.
type Source struct {
	path   string
	env    Environ
	all    *koanf.Koanf
	inFile *koanf.Koanf // without the environment
}

// Load reads a configuration file in YAML and an environment; an empty path reads no file. An
// unknown key of the file is an error, so that no misspelt setting goes unnoticed; for the
// environment see [Source.Unknown]. The error is an [*Error].
func Load(path string, environ Environ, settings []string) (*Source, error) {
	s := &Source{path: path, env: environ, all: koanf.New(delimiter)}
	if path != "" {
		if err := s.all.Load(yamlFile(path), yaml.Parser()); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, bad("configuration file %q: there is no such file", path)
			}
			return nil, unusable("configuration file %q: %w", path, decodeerror.YAML(err))
		}
		for _, k := range slices.Sorted(maps.Keys(s.all.Raw())) {
			if slices.Contains(settings, k) {
				continue
			}
			next := `settings are named as flags are, as in "allow-private"`
			if near := nearest.Of(k, settings); near != "" {
				next = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, unusable("configuration file %q: there is no setting %q; %s", path, k, next)
		}
	}
	if err := s.loadSecrets(); err != nil {
		return nil, err
	}
	s.inFile = s.all.Copy()
	err := s.all.Load(env.Provider(delimiter, env.Opt{
		Prefix:      EnvPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if value == "" {
				return "", nil // set to nothing is not set, as compose files do it
			}
			return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, EnvPrefix)), "_", "-"), value
		},
	}), nil)
	if err != nil {
		return nil, unusable("environment: %w", err)
	}
	return s, nil
}

// yamlFile provides a file.
type yamlFile string

func (f yamlFile) ReadBytes() ([]byte, error) {
	from, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return decodeerror.ReadYAML(from)
}

func (f yamlFile) Read() (map[string]any, error) { return nil, errors.ErrUnsupported }

// variableOf is the environment variable of a setting.
func variableOf(setting string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// Has reports whether a setting has a value.
func (s *Source) Has(setting string) bool { return s.all.Exists(setting) }

// loadSecrets reads the files that PLAT_…_FILE name.
func (s *Source) loadSecrets() error {
	for _, name := range secrets {
		variable := variableOf(name)
		path := s.env.Get(variable + "_FILE")
		if path == "" {
			continue
		}
		if s.env.Get(variable) != "" {
			return unusable("%s and %s_FILE are both set; unset one", variable, variable)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return unusable("%s_FILE: %w", variable, err)
		}
		if err := s.all.Set(name, strings.TrimRight(string(b), "\r\n")); err != nil {
			return unusable("%s_FILE: %w", variable, err)
		}
	}
	return nil
}

// A Variable parses the value of a setting. One of several values also has Replace, and is of
// type "stringArray" if commas do not separate them.
type Variable interface {
	Set(text string) error
	Type() string
}

// Apply gives a setting its value, if the source has one. It uses the parser of the setting, so
// that a value means the same in every source. The error, an [*Error], names the source.
func (s *Source) Apply(setting string, to Variable) error {
	if !s.all.Exists(setting) {
		return nil
	}
	err := set(to, s.all.Get(setting))
	if err == nil {
		return nil
	}
	where := variableOf(setting)
	if s.inFile.Exists(setting) && s.env.Get(where) == "" {
		where = fmt.Sprintf("configuration file %q: %s", s.path, setting)
	}
	return bad("%s: %w", where, err)
}

// set gives a setting a value: a text, or a list of texts. In a text, the elements of a list are
// on lines of their own, or between commas where the setting allows it.
func set(to Variable, value any) error {
	list, many := to.(interface{ Replace([]string) error })
	switch v := value.(type) {
	case []any:
		if !many {
			return errors.New("want one value, got a list")
		}
		all := make([]string, len(v))
		for i := range v {
			all[i] = fmt.Sprint(v[i])
		}
		return decodeerror.Value(to.Type(), strings.Join(all, ","), list.Replace(all))
	case map[string]any:
		return errors.New("want a value or a list of values")
	case nil:
		return errors.New("want a value")
	case string:
		if many {
			if to.Type() != "stringArray" {
				v = strings.ReplaceAll(v, ",", "\n")
			}
			var all []string
			for _, s := range strings.Split(v, "\n") {
				if s = strings.TrimSpace(s); s != "" {
					all = append(all, s)
				}
			}
			return decodeerror.Value(to.Type(), strings.Join(all, ","), list.Replace(all))
		}
		return decodeerror.Value(to.Type(), v, to.Set(v))
	}
	text := fmt.Sprint(value)
	if many {
		return decodeerror.Value(to.Type(), text, list.Replace([]string{text}))
	}
	return decodeerror.Value(to.Type(), text, to.Set(text))
}
