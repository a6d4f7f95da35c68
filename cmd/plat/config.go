package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix begins the names of environment variables: PLAT_ALLOW_PRIVATE is
// --allow-private.
const envPrefix = "PLAT_"

// secrets may also come from a file that PLAT_…_FILE names, as container
// orchestrators hand them out.
var secrets = [...]string{"store", "redis", "auth", "header", "proxy", "token"}

// delimiter of koanf's paths: our keys are flat, and dots stand in host names.
const delimiter = "\x00"

func (a *app) getenv(name string) string {
	for _, e := range slices.Backward(a.env) {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// configure gives every flag that is not on the command line its value from the
// environment, or else from the configuration file. It goes through the flags'
// own parsers, so that a value means the same wherever it stands.
func (a *app) configure(cmd *cobra.Command) error {
	k := koanf.New(delimiter)
	path := a.config
	if !cmd.Flags().Changed("config") {
		path = a.getenv(envPrefix + "CONFIG")
	}
	if path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return fail(exitConfig, "configuration file %q: there is no such file", path)
			}
			return fail(exitConfig, "configuration file %q: %w", path, err)
		}
		if err := known(cmd.Root(), k.Raw()); err != nil {
			return fail(exitConfig, "configuration file %q: %w", path, err)
		}
	}
	if err := a.loadSecrets(k); err != nil {
		return err
	}
	from := env.Provider(delimiter, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return a.env },
		TransformFunc: func(name, value string) (string, any) {
			if value == "" {
				return "", nil // set to nothing is not set, as compose files do it
			}
			return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, envPrefix)), "_", "-"), value
		},
	})
	inFile := k.Copy()
	if err := k.Load(from, nil); err != nil {
		return fail(exitConfig, "environment: %w", err)
	}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil || f.Changed || !k.Exists(f.Name) {
			return
		}
		switch f.Name {
		case "config", "help", "version":
			return // not settings; PLAT_VERSION is what container images are apt to set
		}
		if err := set(f, k.Get(f.Name)); err != nil {
			where := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if inFile.Exists(f.Name) && a.getenv(where) == "" {
				where = fmt.Sprintf("configuration file %q: %s", path, f.Name)
			}
			failed = fail(exitConfig, "%s: %w", where, err)
		}
	})
	return failed
}

// loadSecrets reads the files that PLAT_…_FILE name.
func (a *app) loadSecrets(k *koanf.Koanf) error {
	for _, name := range secrets {
		variable := envPrefix + strings.ToUpper(name)
		path := a.getenv(variable + "_FILE")
		if path == "" {
			continue
		}
		if a.getenv(variable) != "" {
			return fail(exitConfig, "%s and %s_FILE are both set; unset one", variable, variable)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return fail(exitConfig, "%s_FILE: %w", variable, err)
		}
		if err := k.Set(name, strings.TrimRight(string(b), "\r\n")); err != nil {
			return fail(exitConfig, "%s_FILE: %w", variable, err)
		}
	}
	return nil
}

// set gives a flag a value from elsewhere: a text, or a list of them. In a text,
// the elements of a list stand on lines of their own, or between commas where
// the flag's do.
func set(f *pflag.Flag, value any) error {
	list, many := f.Value.(pflag.SliceValue)
	switch v := value.(type) {
	case []any:
		if !many {
			return errors.New("want one value, got a list")
		}
		all := make([]string, len(v))
		for i := range v {
			all[i] = fmt.Sprint(v[i])
		}
		return list.Replace(all)
	case map[string]any:
		return errors.New("want a value or a list of values")
	case nil:
		return errors.New("want a value")
	case string:
		if many {
			if f.Value.Type() != "stringArray" {
				v = strings.ReplaceAll(v, ",", "\n")
			}
			var all []string
			for _, s := range strings.Split(v, "\n") {
				if s = strings.TrimSpace(s); s != "" {
					all = append(all, s)
				}
			}
			return list.Replace(all)
		}
		return f.Value.Set(v)
	}
	if many {
		return list.Replace([]string{fmt.Sprint(value)})
	}
	return f.Value.Set(fmt.Sprint(value))
}

// known reports the first key that is no flag of any command: a setting spelt
// wrongly must not be passed over in silence.
func known(root *cobra.Command, keys map[string]any) error {
	names := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		add := func(f *pflag.Flag) { names[f.Name] = true }
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, k := range sortedKeys(keys) {
		if !names[k] {
			return fmt.Errorf("there is no setting %q; settings are named as flags are, as in \"allow-private\"", k)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
