package attack_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area DNS/IPv6. They need hosts, resolvers and addresses of their own,
// so each runs in a network and with mounts that nobody else sees.

// eachInside plays body for each engine in a private network made ready by script.
func eachInside(t *testing.T, script string, body func(t *testing.T, engine string)) {
	t.Helper()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		inside(t, private(script), func(t *testing.T) { body(t, engine) })
	})
}

// hosts is withHosts in the parent; in the child, where the mount stands, nothing.
func hosts(t *testing.T, lines string) string {
	t.Helper()
	if os.Getenv(insideVar) != "" {
		return ""
	}
	return withHosts(t, "hosts", lines)
}

// fails runs p, which must not take place, and returns why.
func fails(t *testing.T, p *plan.Plan, limit time.Duration) string {
	t.Helper()
	begun := time.Now()
	run, err := attack.Run(t.Context(), p, attack.Hooks{})
	if err == nil || run != nil {
		t.Fatalf("a run took place: %+v", run)
	}
	if took := time.Since(begun); took > limit {
		t.Errorf("it took %v to say %q, want at most %v", took, err, limit)
	}
	return err.Error()
}

// RC-100: zones of link-local addresses, in either spelling.
func TestZones(t *testing.T) {
	t.Parallel()
	eachInside(t, "ip -6 addr add fe80::1/64 dev lo nodad", func(t *testing.T, engine string) {
		raw := startRaw(t, testserver.RawConfig{Listen: "[fe80::1%lo]:8080", Reply: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})
		urls := []string{"http://[fe80::1%25lo]:8080/", "http://[fe80::1%lo]:8080/", "http://[fe80::1%251]:8080/"}
		for i, u := range urls {
			run := offer(t, t.Context(), newPlan(t, engine, u, "100", 10, nil))
			counts{replies: 10}.want(t, run)
			if len(run.Addresses) != 1 || !strings.HasPrefix(run.Addresses[0], "[fe80::1%") {
				t.Errorf("%s: addresses %v", u, run.Addresses)
			}
			for _, seen := range raw.Seen()[10*i:] {
				if head := string(seen.Head); !strings.Contains(head, "\r\nHost: [fe80::1]:8080\r\n") {
					t.Errorf("%s: the request is %q, want a Host without zone", u, head)
				}
			}
		}
		why := fails(t, newPlan(t, engine, "http://[fe80::1%25nowhere0]:8080/", "100", 10, nil), time.Second)
		if !strings.Contains(why, "nowhere0") || raw.Requests() != 30 {
			t.Errorf("an unknown zone: %q; the server read %d", why, raw.Requests())
		}
	})
}

const threeAddresses = "127.0.0.1 multi.test\n127.0.0.2 multi.test\n127.0.0.3 multi.test\n"

// RC-101: all addresses of a name are used in turn and named. One that is dead is
// counted as what it is, and adds no time to the others.
func TestSeveralAddresses(t *testing.T) {
	t.Parallel()
	eachInside(t, hosts(t, threeAddresses), func(t *testing.T, engine string) {
		var servers []*testserver.Server
		for i := 1; i <= 3; i++ {
			servers = append(servers, start(t, testserver.Config{Listen: fmt.Sprintf("127.0.0.%d:8080", i)}))
		}
		run := offer(t, t.Context(), newPlan(t, engine, "http://multi.test:8080/", "300", 90, nil))
		counts{replies: 90}.want(t, run)
		if got := fmt.Sprint(run.Addresses); got != "[127.0.0.1:8080 127.0.0.2:8080 127.0.0.3:8080]" {
			t.Errorf("addresses %s", got)
		}
		for i, s := range servers {
			if n := s.Stats().Requests; n != 30 {
				t.Errorf("server %d read %d of 90, want 30", i+1, n)
			}
		}
		if err := servers[1].Close(); err != nil {
			t.Fatal(err)
		}
		thrice(t, func() error {
			scheduler := watch()
			run = offer(t, t.Context(), newPlan(t, engine, "http://multi.test:8080/", "300", 90, nil))
			counts{replies: 60, class: record.ConnectionRefused, errors: 30}.want(t, run)
			return within("p99", run.Summary.Time.Response.P99, 0, 0.02, record.Seconds(scheduler.stoodStill()))
		})
	})
}

// RC-103: a host that does not exist, or a resolver that cannot be reached or does
// not answer: no run, one line that names the host, in a few seconds.
func TestNoSuchHost(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		for name, resolver := range map[string]string{"no network": "10.255.255.53", "refused": "127.0.0.1", "silent": "127.0.0.53"} {
			cases[name+" "+engine] = func(t *testing.T) {
				script := ""
				if os.Getenv(insideVar) == "" {
					script = withHosts(t, "resolv.conf", "nameserver "+resolver+"\n")
				}
				inside(t, private(script), func(t *testing.T) { noSuchHost(t, engine) })
			}
		}
	}
	atOnce(t, cases)
}

func noSuchHost(t *testing.T, engine string) {
	silent, err := net.ListenPacket("udp", "127.0.0.53:53") // takes questions and answers none
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	why := fails(t, newPlan(t, engine, "http://no-such-host.invalid/", "50", 1000, nil), 8*time.Second)
	if !strings.Contains(why, `"no-such-host.invalid"`) || strings.Contains(why, "\n") {
		t.Errorf("said %q", why)
	}
}

const twoFamilies = "::1 ds.test\n127.0.0.1 ds.test\n127.0.0.1 four.test\n::1 six.test\n"

// RC-104: a name with addresses of both families, of which one is dead: the run uses
// the other one alone and says so, and no request pays for the choice.
func TestDualStack(t *testing.T) {
	t.Parallel()
	eachInside(t, hosts(t, twoFamilies), func(t *testing.T, engine string) {
		four := start(t, testserver.Config{Listen: "127.0.0.1:8080"})
		quick(t, engine, "ds.test:8080", 0, "127.0.0.1:8080") // ::1 refuses
		six := start(t, testserver.Config{Listen: "[::1]:8080"})
		quick(t, engine, "ds.test:8080", 4, "127.0.0.1:8080")
		quick(t, engine, "ds.test:8080", 6, "[::1]:8080")
		if err := four.Close(); err != nil {
			t.Fatal(err)
		}
		quick(t, engine, "ds.test:8080", 0, "[::1]:8080") // 127.0.0.1 refuses
		quick(t, engine, "six.test:8080", 0, "[::1]:8080")
		if err := six.Close(); err != nil {
			t.Fatal(err)
		}
		start(t, testserver.Config{Listen: "127.0.0.1:8081"})
		blackHole(t, 8081)
		quick(t, engine, "ds.test:8081", 0, "127.0.0.1:8081") // ::1 does not answer
		if why := fails(t, newPlan(t, engine, "http://four.test:8081/", "50", 10, func(p *plan.Plan) { p.Family = 6 }), 8*time.Second); !strings.Contains(why, "four.test") {
			t.Errorf("said %q of a name without IPv6", why)
		}
	})
}

// quick makes a run that must go to one address only, with no time lost on another.
func quick(t *testing.T, engine, host string, family int, address string) {
	t.Helper()
	thrice(t, func() error {
		scheduler := watch()
		run := offer(t, t.Context(), newPlan(t, engine, "http://"+host+"/", "200", 40, func(p *plan.Plan) { p.Family = family }))
		counts{replies: 40}.want(t, run)
		if len(run.Addresses) != 1 || run.Addresses[0] != address {
			t.Errorf("%s, family %d: addresses %v, want %s", host, family, run.Addresses, address)
		}
		return within("p50", run.Summary.Time.Response.P50, 0, 0.01, record.Seconds(scheduler.stoodStill()))
	})
}

// blackHole makes a port of ::1 swallow connects: its backlog is full.
func blackHole(t *testing.T, port int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	c, err := net.DialTimeout("tcp", fmt.Sprintf("[::1]:%d", port), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}
