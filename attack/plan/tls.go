package plan

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
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
	pem, err := readPEM(t.CAFile)
	if err != nil {
		return fmt.Errorf("--ca %s: %w", t.CAFile, err)
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
	certificate, badCertificate := readPEM(t.CertFile)
	key, badKey := readPEM(t.KeyFile)
	if err := errors.Join(named("--cert", t.CertFile, badCertificate), named("--key", t.KeyFile, badKey)); err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("--cert %s --key %s: %w", t.CertFile, t.KeyFile, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// named is err, if it is one, behind the option and the file that it is about.
func named(option, path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", option, path, err)
}

// maxPEM bounds a file of certificates or keys; the system's roots have 0.2 MiB.
const maxPEM = 16 << 20

// readPEM is the content of a file, which need not be regular but must end.
// Errors lack the path.
func readPEM(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(pem) > maxPEM {
		return nil, fmt.Errorf("larger than %d MiB", maxPEM>>20)
	}
	return pem, nil
}
