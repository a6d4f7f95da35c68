package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"plat/browser"
	"plat/browser/sessions"
	"plat/browser/steps"
)

// stepOptions sets the steps to perform on pages before they are captured.
func (s *Settings) stepOptions(o *browser.Options) error {
	set, err := s.StepRules(s.Steps)
	if err != nil {
		return err
	}
	o.Environ = childEnv(set)
	if len(set.Rules) > 0 || set.Consent {
		o.Steps = set
	}
	for _, r := range set.Rules {
		if r.Evaluates() && !s.StepsEvaluate {
			return unusable("%s: rule %q runs scripts of its own; allow it with %s", r.File, r.Name, s.named("steps-evaluate"))
		}
		for _, ref := range r.Secrets() {
			if _, err := s.Secret(ref); err != nil {
				return unusable("%s: rule %q: %v: %w", r.File, r.Name, ref, err)
			}
		}
	}
	o.Secret, o.StepsEvaluate = s.Secret, s.StepsEvaluate
	if s.StepPictures != "" {
		if err := os.MkdirAll(s.StepPictures, 0o700); err != nil {
			return bad("step-pictures: %w", err)
		}
	}
	if s.Sessions == "" {
		if s.SessionsKeyFile != "" {
			return unusable("sessions-key-file: there is no file of sessions; name one with %s FILE", s.named("sessions"))
		}
		return nil
	}
	key, err := s.sessionsKey()
	if err != nil {
		return err
	}
	store, err := sessions.Open(s.Sessions, key)
	if err != nil {
		return unusable("%w", err)
	}
	o.Sessions = store
	return nil
}

// StepRules reads files of rules, and joins them. The error is an [*Error].
func (s *Settings) StepRules(paths []string) (*steps.Set, error) {
	var files [][]*steps.Rule
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, unusable("steps: %w", err)
		}
		b, err := io.ReadAll(io.LimitReader(f, steps.MaxFile+1))
		f.Close()
		if err != nil {
			return nil, unusable("steps: %w", err)
		}
		rules, err := steps.Parse(path, b)
		if err != nil {
			return nil, unusable("%w", err)
		}
		files = append(files, rules)
	}
	set, err := steps.Join(files...)
	if err != nil {
		return nil, unusable("%w", err)
	}
	set.Consent = s.Consent
	return set, nil
}

// sessionsKeyEnv holds the key of the file of sessions, where no file does.
const sessionsKeyEnv = EnvPrefix + "SESSIONS_KEY"

func (s *Settings) sessionsKey() ([]byte, error) {
	key := s.Env.Get(sessionsKeyEnv)
	switch {
	case key != "" && s.SessionsKeyFile != "":
		return nil, unusable("%s is set, and %s names a file; give one of them", sessionsKeyEnv, s.named("sessions-key-file"))
	case s.SessionsKeyFile != "":
		b, err := readSecret(s.SessionsKeyFile)
		if err != nil {
			return nil, unusable("sessions-key-file: %w", err)
		}
		return []byte(b), nil
	case key == "":
		return nil, unusable("sessions: the file needs a key; give it with %s FILE or in %s", s.named("sessions-key-file"), sessionsKeyEnv)
	}
	return []byte(key), nil
}

// Secret resolves a reference of steps. It reads the secret at each call, so that a change of its
// file takes effect.
func (s *Settings) Secret(r steps.Ref) (string, error) { return s.SecretOf(r.From, r.Name) }

// SecretOf is the secret in a file ("file"), or in a variable of the environment.
func (s *Settings) SecretOf(from, name string) (string, error) {
	if from == "file" {
		return readSecret(name)
	}
	value := s.Env.Get(name)
	if value == "" {
		return "", errors.New("the variable is not set")
	}
	return value, nil
}

// maxSecret is the most that a file of a secret may hold, in bytes.
const maxSecret = 4 << 10

// readSecret reads a file without the line break at its end.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", err
	}
	s := strings.TrimRight(string(b), "\r\n")
	switch {
	case len(b) > maxSecret:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSecret)
	case s == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return s, nil
}

// childEnv returns the environment of this process without our own settings, passwords among
// them, and without the secrets of steps: a browser does not need them, and every process of this
// user can read the environment of a child process.
func childEnv(set *steps.Set) []string {
	var hidden []string
	for _, r := range set.Rules {
		for _, ref := range r.Secrets() {
			if ref.From == "env" {
				hidden = append(hidden, ref.Name)
			}
		}
	}
	env := []string{} // not nil, which would be all
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, EnvPrefix) && !slices.Contains(hidden, name) {
			env = append(env, e)
		}
	}
	return env
}
