package docs_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/dockertest"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// The commands of the pages on deployment and upgrades work in their order. A user who logs in through the proxy is logged in after the
// restore, too. The paths of the machine are below a folder, and stand-ins act for systemd and docker. What they know of systemd was
// compared with version 252.
func TestThePagesOfDeploymentWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles the framework; to run it: go test, without -short")
	}
	m := newServerMachine(t, "shop", dockertest.Folder(t))
	m.needs(t)
	m.atTheEnd(t, "docker stop shop")
	m.sh(t, "mcp new shop --auth --framework "+m.module)
	m.app = filepath.Join(m.app, "shop")
	page := m.page(t, "deployment")
	m.run(t, page, "The program", "Settings for each environment", "systemd")
	browser := m.proxy(t, page).browser()
	m.logsIn(t, browser)
	m.run(t, page, "Containers")
	m.serves(t, m.container)
	m.run(t, page, "Backup", "Restore")
	m.hasRun(t, page)
	m.serves(t, m.service)
	if text := get(t, browser, account); !strings.Contains(text, "ana@example.com") {
		t.Errorf("after the restore, the user sees\n%s", text)
	}
	m.logsIn(t, m.proxy(t, page).browser())
	upgrades := m.page(t, "upgrades")
	m.run(t, upgrades, "A new version of the app")
	m.hasRun(t, upgrades)
	m.serves(t, m.service)
	m.serves(t, m.container)
	if text := get(t, browser, account); !strings.Contains(text, "ana@example.com") {
		t.Errorf("after the upgrade, the user sees\n%s", text)
	}
	log, err := os.ReadFile(filepath.Join(m.root, "shop.log"))
	if err != nil || regexp.MustCompile("isn't trusted|another host").Match(log) || strings.Count(string(log), "msg=stopping") != 2 {
		t.Errorf("%v: the log of the service is\n%s", err, log)
	}
}

const account = "https://mcp.example.com/oauth/account"

// A serverMachine is a folder in place of a server.
type serverMachine struct {
	name               string // of the program
	root, bin          string
	module             string // the folder of the framework
	app                string // the folder in which commands run
	service, container string // the addresses of the service and of the container
	settings           []string
}

// newServerMachine returns a machine for a program, with a folder of commands.
func newServerMachine(t *testing.T, name, bin string) *serverMachine {
	t.Helper()
	m := &serverMachine{name: name, root: t.TempDir(), bin: bin, app: t.TempDir(), service: freeAddress(t), container: freeAddress(t)}
	if err := os.Chmod(filepath.Dir(m.root), 0o711); err != nil { //nolint:gosec // the user of the service goes through it
		t.Fatal(err)
	}
	for _, folder := range []string{"usr/local/bin", "etc/systemd/system", "var/backups", "var/lib", "srv"} {
		if err := os.MkdirAll(filepath.Join(m.root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	machinetest.WriteProgram(t, filepath.Join(m.bin, "sudo"), "#!/bin/sh\nexec \"$@\"\n")
	// The machine is the reader's computer too: only a file below another folder has to be copied.
	machinetest.WriteProgram(t, filepath.Join(m.bin, "scp"), "#!/bin/sh\nfor file; do case $file in */*) cp \"$file\" . ;; esac; done\n")
	for _, name := range []string{"journalctl", "systemctl", "systemd-run"} {
		machinetest.WriteProgram(t, filepath.Join(m.bin, name), read(t, "docs/testdata/systemd/"+name))
	}
	self, err := os.Executable() // which is the command too; see TestMain
	if err != nil {
		t.Fatal(err)
	}
	if m.module, err = filepath.Abs(root); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(m.bin, "mcp")); err != nil {
		t.Fatal(err)
	}
	m.atTheEnd(t, "systemctl stop "+name)
	return m
}

// needs skips the test on a machine that lacks what the commands of a server need.
func (m *serverMachine) needs(t *testing.T) {
	t.Helper()
	for program, debian := range map[string]string{"jq": "jq", "openssl": "openssl", "setpriv": "util-linux", "sqlite3": "sqlite3"} {
		dockertest.Require(t, program, debian)
	}
	if os.Getuid() != 0 {
		gatetest.Missing(t, "a program gets another user; run the test as root")
	}
}

// atTheEnd runs a command when the test has ended.
func (m *serverMachine) atTheEnd(t *testing.T, script string) {
	t.Cleanup(func() {
		command := exec.Command("sh", "-c", script)
		command.Env = m.environment()
		_ = command.Run() // what it stops isn't there if the test has failed
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func (m *serverMachine) environment() []string {
	return append(append(os.Environ(), m.settings...), "PATH="+m.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ROOT="+m.root, "APP_ADDR="+m.service, "DOCKER_ADDR="+m.container,
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath", "GOWORK=off")
}

// sh runs commands in the folder of the app, and returns what they write to stdout.
func (m *serverMachine) sh(t *testing.T, script string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	var stdout, stderr bytes.Buffer
	command.Dir, command.Env, command.Stdin, command.Stdout, command.Stderr = m.app, m.environment(), strings.NewReader("correct horse\n"), &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, script, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// page returns the sections of a page of the guide, by their headings.
func (m *serverMachine) page(t *testing.T, name string) map[string][]block {
	t.Helper()
	sections := map[string][]block{}
	path := "docs/guide/" + name + ".md"
	text := read(t, path)
	for _, section := range strings.Split(text, "\n## ")[1:] {
		heading, rest, _ := strings.Cut(section, "\n")
		sections[heading] = blocks(path, rest)
	}
	return sections
}

// run runs the commands of sections, and removes the sections.
func (m *serverMachine) run(t *testing.T, page map[string][]block, headings ...string) {
	t.Helper()
	for _, heading := range headings {
		ran := 0
		for _, b := range page[heading] {
			if b.language != "sh" {
				continue
			}
			ran++
			script := strings.NewReplacer(
				" /srv/shop", " "+m.bin+"/state/roots/shop/var/lib/shop", // see dockertest
				"user:create ana@example.com", "user:create ana@example.com --password-stdin",
			).Replace(m.below(b.text))
			if heading == "systemd" {
				m.installUnit(t)
			}
			m.sh(t, script)
		}
		if ran == 0 {
			t.Errorf("the section %q has no commands", heading)
		}
		delete(page, heading)
	}
}

// below returns commands with the paths of the machine below its folder.
func (m *serverMachine) below(script string) string {
	return regexp.MustCompile(`(^|[^:])(/usr/local/bin|/etc/\w+\.env|/etc/systemd|/var/lib|/var/backups)`).ReplaceAllString(script, "${1}"+m.root+"${2}")
}

// hasRun reports commands of a page that the test hasn't run.
func (m *serverMachine) hasRun(t *testing.T, page map[string][]block) {
	t.Helper()
	for heading, section := range page {
		if slices.ContainsFunc(section, func(b block) bool { return b.language == "sh" }) {
			t.Errorf("the test doesn't run the commands of the section %q", heading)
		}
	}
}

// installUnit puts the unit of the app below the folder.
func (m *serverMachine) installUnit(t *testing.T) {
	t.Helper()
	path := filepath.Join(m.app, "deploy", m.name+".service")
	unit, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ExecStart=/usr", "EnvironmentFile=/etc"} {
		key, value, _ := strings.Cut(name, "=")
		unit = bytes.ReplaceAll(unit, []byte("\n"+name), []byte("\n"+key+"="+m.root+value))
	}
	write(t, path, string(unit))
}

// serves waits until a program answers.
func (m *serverMachine) serves(t *testing.T, address string) {
	t.Helper()
	for range 200 {
		if response, err := http.Get("http://" + address + "/readyz"); err == nil {
			_ = response.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(m.root, m.name+".log"))
	t.Fatalf("the program at %s does not answer\n%s", address, log)
}

// logsIn logs the user in on the login page, where the browser sees the account then.
func (m *serverMachine) logsIn(t *testing.T, browser *http.Client) {
	t.Helper()
	page := get(t, browser, account)
	action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(page)
	token := regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page)
	if action == nil || token == nil {
		t.Fatalf("the login page is\n%s", page)
	}
	target, err := browser.Get(account)
	if err != nil {
		t.Fatal(err)
	}
	_ = target.Body.Close()
	to, err := target.Request.URL.Parse(strings.ReplaceAll(action[1], "&amp;", "&"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := browser.PostForm(to.String(), url.Values{"csrf": {token[1]}, "name": {"ana@example.com"}, "password": {"correct horse"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err != nil || response.Request.URL.String() != account || !strings.Contains(string(text), "ana@example.com") {
		t.Errorf("after the login, the user sees %s %s %v\n%s", response.Request.URL, response.Status, err, text)
	}
}

func get(t *testing.T, browser *http.Client, url string) string {
	t.Helper()
	response, err := browser.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
