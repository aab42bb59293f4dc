package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/dotenv"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// The names of the files with settings, and the key that seals what clients carry.
const (
	settingsFile = ".env"
	exampleFile  = ".env.example"
	keyName      = "APP_KEY"
	minKey       = 16 // characters, as Config.Key requires
)

// settings compares .env with .env.example, and examines APP_KEY.
func (d *Doctor) settings(context.Context) (findings []finding.Finding) {
	read := func(name string) ([]dotenv.Setting, bool) {
		file := filepath.Join(d.App.Root, name)
		settings, err := dotenv.Read(file)
		if err != nil {
			findings = append(findings, finding.Broken(settingsFile, strings.TrimPrefix(err.Error(), d.App.Root+string(filepath.Separator)), "correct the line"))
		}
		_, err = os.Stat(file)
		return settings, !errors.Is(err, fs.ErrNotExist)
	}
	example, hasExample := read(exampleFile)
	settings, hasSettings := read(settingsFile)
	switch {
	case !hasSettings && hasExample:
		findings = append(findings, finding.Hint(settingsFile, "there is none, so the app uses the environment and the defaults", "copy "+exampleFile+" to "+settingsFile))
	case hasSettings && hasExample:
		findings = append(findings, unknownSettings(settings, example)...)
	}
	if hasSettings && len(findings) == 0 {
		findings = append(findings, finding.OK(settingsFile, fmt.Sprintf("sets %d variables", len(settings))))
	}
	return append(findings, key(settings, example)...)
}

// unknownSettings finds variables that the example doesn't have, which are often typing
// mistakes.
func unknownSettings(settings, example []dotenv.Setting) (findings []finding.Finding) {
	var known []string
	for _, setting := range example {
		known = append(known, setting.Name)
	}
	for _, setting := range settings {
		if slices.Contains(known, setting.Name) {
			continue
		}
		fix := "remove it, or add it to " + exampleFile
		if nearest := naming.Nearest(setting.Name, known); nearest != "" {
			fix = fmt.Sprintf("did you mean %s? Otherwise %s", nearest, fix)
		}
		findings = append(findings, finding.Hint(settingsFile, fmt.Sprintf("line %d sets %s, which %s doesn't have", setting.Line, naming.Printable(setting.Name), exampleFile), fix))
	}
	return findings
}

// key examines APP_KEY, without showing it. An app whose example doesn't have it may not use
// it.
func key(settings, example []dotenv.Setting) []finding.Finding {
	named := func(setting dotenv.Setting) bool { return setting.Name == keyName }
	value := os.Getenv(keyName)
	if value == "" {
		if i := slices.IndexFunc(settings, named); i >= 0 {
			value = settings[i].Value
		} else if !slices.ContainsFunc(example, named) {
			return nil
		}
	}
	if value == "" {
		return []finding.Finding{finding.Hint(keyName, "it is empty, so cursors, calls that wait for an answer and sessions of older clients end with the process", "set it in "+settingsFile+" to what this prints: openssl rand -hex 32")}
	}
	for one := range strings.SplitSeq(value, ",") {
		if one = strings.TrimSpace(one); one != "" && len(one) < minKey {
			return []finding.Finding{finding.Broken(keyName, fmt.Sprintf("a key has less than %d characters", minKey), "set it in "+settingsFile+" to what this prints: openssl rand -hex 32")}
		}
	}
	return []finding.Finding{finding.OK(keyName, "is set")}
}
