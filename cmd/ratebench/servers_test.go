package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const page = "a page of some server\n"

func startLighttpd(t *testing.T) *daemon {
	t.Helper()
	return startDaemon(t, "lighttpd", func(d *daemon) []string {
		d.put(t, "page.html", page)
		config := fmt.Sprintf(`server.modules = ("mod_accesslog")
server.document-root = %q
server.bind = "127.0.0.1"
server.port = %d
server.pid-file = %q
accesslog.filename = %q
accesslog.format = "%%U %%s %%b"
server.errorlog = %q
server.max-keep-alive-requests = 100
`, d.dir, d.port, d.path("pid"), d.path("log"), d.path("errors"))
		return []string{"-D", "-f", d.put(t, "lighttpd.conf", config)}
	})
}

func startApache(t *testing.T) *daemon {
	t.Helper()
	return startDaemon(t, "apache2", func(d *daemon) []string {
		d.put(t, "page.html", page)
		modules := filepath.Join(filepath.Dir(d.program), "../lib/apache2/modules")
		config := fmt.Sprintf(`ServerRoot %[1]q
ServerName 127.0.0.1
Listen 127.0.0.1:%[2]d
PidFile %[1]s/pid
ErrorLog %[1]s/errors
LoadModule mpm_event_module %[3]s/mod_mpm_event.so
LoadModule authz_core_module %[3]s/mod_authz_core.so
DocumentRoot %[1]q
LogFormat "%%U %%>s %%B" columns
CustomLog %[1]s/log columns
Mutex file:%[1]s
KeepAlive On
MaxKeepAliveRequests 100
`, d.dir, d.port, modules)
		if os.Geteuid() == 0 { // it does not serve as root
			config += "User nobody\nGroup nogroup\n"
		}
		return []string{"-D", "FOREGROUND", "-f", d.put(t, "apache.conf", config)}
	})
}

// Two more servers, with new and with kept connections.
func TestOtherServers(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *daemon{"lighttpd": startLighttpd, "apache2": startApache} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t)
			total := uint64(0)
			for _, engine := range bothEngines() {
				for _, each := range []string{"1", "0"} {
					m := measure(t, "--engine", engine, "--requests-per-connection", each, "--rate", "300", "--total", "300", server.url("/page.html"))
					if why := allAnswered(m, 300, "200", uint64(len(page))); why != "" {
						t.Errorf("%s, %s on a connection: %s", engine, each, why)
					}
					// A kept one carries a hundred at most.
					if opened := m.Summary.Connections.Opened; each == "1" && opened != 300 || each == "0" && opened < 3 {
						t.Errorf("%s, %s on a connection: %d connections", engine, each, opened)
					}
					total += m.Summary.Sent
				}
			}
			server.stop() // lighttpd writes its log when it pleases, the rest at its end
			if lines := server.logged(t, "log", "/page.html", int(total)); !only(lines, 1, "200", int(total)) {
				t.Errorf("%d sent, the log has %d lines, %v", total, len(lines), column(lines, 1))
			}
		})
	}
}
