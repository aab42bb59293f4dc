package docs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
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
	m := newServerMachine(t)
	page := m.page(t, "deployment")
	m.run(t, page, "The program", "Settings for each environment", "systemd")
	browser := m.browser(t, page)
	m.logsIn(t, browser)
	m.run(t, page, "Containers")
	m.serves(t, m.container)
	m.run(t, page, "Backup", "Restore")
	m.hasRun(t, page)
	m.serves(t, m.service)
	if text := get(t, browser, account); !strings.Contains(text, "ana@example.com") {
		t.Errorf("after the restore, the user sees\n%s", text)
	}
	m.logsIn(t, m.browser(t, page))
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
	root, app, bin     string
	service, container string // the addresses of the service and of the container
}

func newServerMachine(t *testing.T) *serverMachine {
	t.Helper()
	for program, debian := range map[string]string{"openssl": "openssl", "setpriv": "util-linux", "sqlite3": "sqlite3"} {
		dockertest.Require(t, program, debian)
	}
	m := &serverMachine{root: t.TempDir(), bin: dockertest.Folder(t), service: freeAddress(t), container: freeAddress(t)}
	if err := os.Chmod(filepath.Dir(m.root), 0o711); err != nil { //nolint:gosec // the user of the service goes through it
		t.Fatal(err)
	}
	for _, folder := range []string{"usr/local/bin", "etc/systemd/system", "var/backups", "var/lib", "srv"} {
		if err := os.MkdirAll(filepath.Join(m.root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	machinetest.WriteProgram(t, filepath.Join(m.bin, "sudo"), "#!/bin/sh\nexec \"$@\"\n")
	for _, name := range []string{"systemctl", "systemd-run"} {
		machinetest.WriteProgram(t, filepath.Join(m.bin, name), read(t, "docs/testdata/systemd/"+name))
	}
	self, err := os.Executable() // which is the command too; see TestMain
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(m.bin, "mcp")); err != nil {
		t.Fatal(err)
	}
	m.app = t.TempDir()
	m.sh(t, "mcp new shop --auth --framework "+module)
	m.app = filepath.Join(m.app, "shop")
	t.Cleanup(func() {
		for _, stop := range []string{"systemctl stop shop", "docker stop shop"} {
			command := exec.Command("sh", "-c", stop)
			command.Env = m.environment()
			_ = command.Run() // it isn't there if the test has failed
		}
	})
	return m
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
	return append(os.Environ(), "PATH="+m.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ROOT="+m.root, "APP_ADDR="+m.service, "DOCKER_ADDR="+m.container,
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath", "GOWORK=off")
}

// sh runs commands in the folder of the app.
func (m *serverMachine) sh(t *testing.T, script string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	command.Dir, command.Env, command.Stdin = m.app, m.environment(), strings.NewReader("correct horse\n")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
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
	outside := regexp.MustCompile(`(^|[^:])(/usr/local/bin|/etc/shop\.env|/etc/systemd|/var/lib|/var/backups)`)
	for _, heading := range headings {
		ran := 0
		for _, b := range page[heading] {
			if b.language != "sh" {
				continue
			}
			ran++
			script := outside.ReplaceAllString(b.text, "${1}"+m.root+"${2}")
			script = strings.NewReplacer(
				" /srv/shop", " "+m.bin+"/state/roots/shop/var/lib/shop", // see dockertest
				"user:create ana@example.com", "user:create ana@example.com --password-stdin",
			).Replace(script)
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
	path := filepath.Join(m.app, "deploy", "shop.service")
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
	log, _ := os.ReadFile(filepath.Join(m.root, "shop.log"))
	t.Fatalf("the program at %s does not answer\n%s", address, log)
}

// browser returns a new browser behind nginx, which has the configuration of the page.
func (m *serverMachine) browser(t *testing.T, page map[string][]block) *http.Client {
	t.Helper()
	m.serves(t, m.service)
	sections := page["Reverse proxy with TLS"]
	n := slices.IndexFunc(sections, func(b block) bool { return b.language == "nginx" })
	if n < 0 {
		t.Fatal("the page has no configuration of nginx")
	}
	binary := dockertest.Require(t, "nginx", "nginx-light")
	folder, address := t.TempDir(), freeAddress(t)
	authority := httptest.NewUnstartedServer(nil)
	authority.StartTLS()
	certificate := authority.TLS.Certificates[0]
	authority.Close()
	writePEM(t, folder, certificate)
	server := strings.NewReplacer("listen 443", "listen "+address, "/etc/ssl/mcp.example.com", filepath.Join(folder, "mcp.example.com"), "127.0.0.1:8080", m.service).
		Replace(sections[n].text)
	write(t, filepath.Join(folder, "nginx.conf"), strings.ReplaceAll(`daemon off; master_process off; pid DIR/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path DIR/s;
`, "DIR", folder)+server+"}\n")
	proxy := exec.CommandContext(t.Context(), binary, "-e", "stderr", "-c", filepath.Join(folder, "nginx.conf"))
	log := &bytes.Buffer{}
	proxy.Stderr = log
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = proxy.Wait() // the context has ended
		if t.Failed() {
			t.Log(log)
		}
	})
	jar, _ := cookiejar.New(nil) // it never fails
	trusted := x509.NewCertPool()
	trusted.AddCert(certificate.Leaf)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}} // another machine than the proxy, to the program
	client := &http.Client{Jar: jar, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "example.com", MinVersion: tls.VersionTLS12}, // the name of the certificate
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
	}}
	for range 100 {
		if response, err := client.Get("https://mcp.example.com/readyz"); err == nil {
			_ = response.Body.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return client
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

// writePEM writes a certificate and its key.
func writePEM(t *testing.T, folder string, certificate tls.Certificate) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "mcp.example.com.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})))
	write(t, filepath.Join(folder, "mcp.example.com.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}
