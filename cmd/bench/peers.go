//go:build linux

package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A debianPeer is a program and the Debian package that brings it. None of the
// packages starts a service.
type debianPeer struct {
	program, pkg string
}

func debianPeers() []debianPeer {
	return []debianPeer{
		{"ab", "apache2-utils"},
		{"h2load", "nghttp2-client"},
		{"httperf", "httperf"},
		{"taskset", "util-linux"},
		{"wrk", "wrk"},
	}
}

// A modulePeer is a program that go install brings.
type modulePeer struct {
	name, module, version string
}

func modulePeers() []modulePeer {
	return []modulePeer{
		{"vegeta", "github.com/tsenart/vegeta/v12", "v12.13.0"},
		{"bombardier", "github.com/codesenberg/bombardier", "v1.2.6"},
	}
}

// installPeers brings what is missing, and says so only then.
func installPeers(ctx context.Context, folder string) error {
	if err := installDebian(ctx); err != nil {
		return err
	}
	for _, p := range modulePeers() {
		if p.installed(folder) {
			continue
		}
		fmt.Fprintf(os.Stderr, "installing %s %s\n", p.module, p.version)
		if err := p.install(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

func installDebian(ctx context.Context) error {
	var packages []string
	for _, p := range debianPeers() {
		if _, err := exec.LookPath(p.program); err != nil {
			packages = append(packages, p.pkg)
		}
	}
	if len(packages) == 0 {
		return nil
	}
	fmt.Fprintf(os.Stderr, "installing %s\n", strings.Join(packages, " "))
	if err := quiet(aptGet(ctx, "update")); err != nil {
		return err
	}
	return quiet(aptGet(ctx, append([]string{"install", "-y", "--no-install-recommends"}, packages...)...))
}

func aptGet(ctx context.Context, args ...string) *exec.Cmd {
	argv := append([]string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"}, args...)
	if os.Geteuid() != 0 {
		argv = append([]string{"sudo"}, argv...)
	}
	return exec.CommandContext(ctx, argv[0], argv[1:]...)
}

func (p *modulePeer) installed(folder string) bool {
	info, err := buildinfo.ReadFile(filepath.Join(folder, p.name))
	return err == nil && info.Main.Path == p.module && info.Main.Version == p.version
}

func (p *modulePeer) install(ctx context.Context, folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "install", p.module+"@"+p.version)
	cmd.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	return quiet(cmd)
}

// quiet runs a command whose output matters only if it fails.
func quiet(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// findDaemons adds the folders to PATH in which Debian keeps daemons, and a user does not look.
func findDaemons() error {
	return os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
}

// peerVersions are the versions of the peers and the server by program.
func peerVersions(ctx context.Context) map[string]string {
	versions := map[string]string{}
	for _, p := range append(debianPeers(), debianPeer{"nginx", "nginx-light"}) {
		out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", p.pkg).Output()
		if err != nil {
			out = []byte("unknown") // installed by other means than a package
		}
		versions[p.program] = string(out)
	}
	for _, p := range modulePeers() {
		versions[p.name] = p.version
	}
	return versions
}

// checkPrograms says early that something is missing that make brings: ratebench,
// and nginx, whose package would start a service if it were installed here.
func checkPrograms(ratebench string) error {
	if _, err := exec.LookPath(ratebench); err != nil {
		return fmt.Errorf("%w: make build makes it", err)
	}
	if _, err := exec.LookPath("nginx"); err != nil {
		return fmt.Errorf("%w: make deps installs it", err)
	}
	return nil
}
