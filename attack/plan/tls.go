package plan

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
)

// Config is the crypto/tls configuration for connections to server. SNI is the
// server name given, else the URL's host unless that is an IP address (RFC 6066
// section 3). Files are read now; errors name them.
func (t TLS) Config(server Server) (*tls.Config, error) {
	c := &tls.Config{
		ServerName:         server.Name(),
		InsecureSkipVerify: t.Insecure,
		NextProtos:         []string{"http/1.1"},
	}
	if t.ServerName != "" {
		c.ServerName = t.ServerName
	}
	if t.Resume {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return c, errors.Join(t.addRoots(c), t.addCertificate(c))
}

func (t TLS) addRoots(c *tls.Config) error {
	if t.CAFile == "" {
		return nil
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return fmt.Errorf("--ca: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("--ca %s: holds no PEM certificate", t.CAFile)
	}
	return nil
}

func (t TLS) addCertificate(c *tls.Config) error {
	if t.CertFile == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return fmt.Errorf("--cert %s --key %s: %w", t.CertFile, t.KeyFile, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// IP is the server's address if its host is an IP address, zone included.
func (s Server) IP() (ip netip.Addr, ok bool) {
	ip, err := netip.ParseAddr(s.Host)
	return ip, err == nil
}
