package attack_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An authority issues certificates for the tests.
type authority struct {
	t      *testing.T
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	caFile string // PEM
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t)}
	form := &x509.Certificate{
		Subject:      pkix.Name{CommonName: "ratebench test authority"},
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := sign(t, form, form, a.key, a.key)
	a.cert, _ = x509.ParseCertificate(der)
	a.caFile = writePEM(t, "CERTIFICATE", der)
	return a
}

// issue makes a certificate for the given names and addresses that ends at the given time.
func (a *authority) issue(until time.Time, names ...string) tls.Certificate {
	a.t.Helper()
	key := newKey(a.t)
	der := sign(a.t, leaf(until, names), a.cert, key, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// selfSigned is a certificate that vouches for itself.
func selfSigned(t *testing.T, names ...string) tls.Certificate {
	t.Helper()
	key := newKey(t)
	form := leaf(time.Now().Add(time.Hour), names)
	return tls.Certificate{Certificate: [][]byte{sign(t, form, form, key, key)}, PrivateKey: key}
}

func leaf(until time.Time, names []string) *x509.Certificate {
	c := &x509.Certificate{
		Subject:      pkix.Name{CommonName: "ratebench test"},
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, name)
		}
	}
	return c
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, form, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, form, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// files writes a certificate and its key as PEM.
func files(t *testing.T, c tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, "CERTIFICATE", c.Certificate[0]), writePEM(t, "PRIVATE KEY", der)
}

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
