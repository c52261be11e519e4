package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// selfSigned writes a certificate for 127.0.0.1 that vouches for itself, and its key.
func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	dir := t.TempDir()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ratebench test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// A certificate that nobody vouches for.
func TestNginxOverTLS(t *testing.T) {
	t.Parallel()
	certificate, key := selfSigned(t)
	nginx := startNginx(t, certificate, key)
	for _, engine := range bothEngines() {
		for name, options := range map[string][]string{
			"insecure": {"--insecure"}, "ca": {"--ca", certificate}, "kept": {"--ca", certificate, "--keepalive"},
		} {
			uri := "/" + engine + "/" + name
			url := fmt.Sprintf("https://127.0.0.1:%d%s", nginx.tlsPort, uri)
			m := measure(t, append(options, "--engine", engine, "--rate", "100", "--total", "30", url)...)
			if why := allAnswered(m, 30, "200", 6); why != "" {
				t.Errorf("%s, %s: %s", engine, name, why)
			}
			if lines := nginx.logged(t, "log", uri, 30); !only(lines, logProtocol, "HTTP/1.1", 30) {
				t.Errorf("%s, %s: nginx spoke %v", engine, name, column(lines, logProtocol))
			}
			if connects := m.Summary.Time.TLS.Count; connects != m.Summary.Connections.Opened {
				t.Errorf("%s, %s: %d handshakes on %d connections", engine, name, connects, m.Summary.Connections.Opened)
			}
		}
		uri := "/" + engine + "/unknown"
		m := measure(t, "--engine", engine, "--rate", "100", "--total", "30", fmt.Sprintf("https://127.0.0.1:%d%s", nginx.tlsPort, uri))
		if m.status != exitFailed || m.Summary.Errors.TLS != 30 || m.Summary.Time.Response.Count != 0 ||
			!strings.Contains(m.stdout, "certificate signed by unknown authority") || !strings.Contains(m.stdout, "--insecure") {
			t.Errorf("%s, unknown: status %d, errors %+v\n%s", engine, m.status, m.Summary.Errors, m.stdout)
		}
		if lines := nginx.logged(t, "log", uri, 0); len(lines) != 0 {
			t.Errorf("%s: %d requests went to a server that was not trusted", engine, len(lines))
		}
	}
}

// The protocol is stated, connections are counted.
func TestNginxOverHTTP2(t *testing.T) {
	t.Parallel()
	certificate, key := selfSigned(t)
	nginx := startNginx(t, certificate, key)
	for _, each := range []string{"0", "1"} {
		uri := "/h2/" + each
		m := measure(t, "--http2", "--insecure", "--requests-per-connection", each, "--rate", "100", "--total", "50",
			fmt.Sprintf("https://127.0.0.1:%d%s", nginx.tlsPort, uri))
		if why := allAnswered(m, 50, "200", 6); why != "" {
			t.Errorf("%s: %s", each, why)
		}
		lines := nginx.logged(t, "log", uri, 50)
		if !only(lines, logProtocol, "HTTP/2.0", 50) || !strings.Contains(m.stdout, "HTTP/2.0") {
			t.Errorf("%s: nginx spoke %v, the client says\n%s", each, column(lines, logProtocol), m.stdout)
		}
		opened, seen := m.Summary.Connections.Opened, uint64(len(column(lines, logConnection)))
		if opened != seen || each == "1" && opened != 50 || each == "0" && opened > 10 {
			t.Errorf("%s: %d connections opened, nginx has %d", each, opened, seen)
		}
	}
}
