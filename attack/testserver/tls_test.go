package testserver

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// certificate returns a server's configuration and a client that trusts it.
func certificate(t *testing.T) (*tls.Config, *http.Client) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	client := s.Client()
	client.Timeout = patience
	t.Cleanup(client.CloseIdleConnections)
	return &tls.Config{Certificates: s.TLS.Certificates}, client
}

func TestTLS(t *testing.T) {
	config, client := certificate(t)
	s := start(t, Config{TLS: config, Size: 100_000, Workers: 1, ServiceTime: time.Millisecond})
	raw := startRaw(t, RawConfig{TLS: config, Reply: []byte(rawOK), Ending: Ending{How: CloseFIN}})
	for url, want := range map[string][]byte{s.URL(): bytes.Repeat([]byte("x"), 100_000), raw.URL(): []byte("ok")} {
		for range 3 {
			reply, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(reply.Body)
			_ = reply.Body.Close()
			if !bytes.Equal(got, want) || err != nil {
				t.Errorf("%s: body of %d bytes (%v), want %d", url, len(got), err, len(want))
			}
		}
	}
	if n := s.Stats(); n.Connections != 1 || n.Requests != 3 {
		t.Errorf("stats %+v, want 3 requests on a connection", n)
	}
}

func TestTLSFailures(t *testing.T) {
	config, client := certificate(t)
	s := start(t, Config{TLS: config, Size: 10, Fail: map[Failure]float64{FailTruncate: 0.5, FailReset: 0.5}})
	var failed []string
	for range 2 {
		request, _ := http.NewRequest("POST", s.URL(), strings.NewReader("not sent again"))
		reply, err := client.Do(request)
		if err == nil {
			_, err = io.ReadAll(reply.Body)
			_ = reply.Body.Close()
		}
		if err == nil {
			t.Fatal("a request that was to fail was answered")
		}
		failed = append(failed, err.Error())
	}
	if n := s.Stats(); n.Failed[FailTruncate] != 1 || n.Failed[FailReset] != 1 {
		t.Errorf("stats %+v, want one of each; errors %q", n, failed)
	}
}
