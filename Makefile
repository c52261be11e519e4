# make demo   shows what it does; make test shows that it does.
# All targets need Go and make only; deps adds what the tests need from Debian.

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME = 1m
TESTTIME = 30m

# Debian keeps daemons where a user's PATH does not look.
export PATH := $(PATH):/usr/sbin

.PHONY: build demo test check fuzz golden bench seeds deps clean

build:
	@mkdir -p bin
	go build -o bin/ratebench ./cmd/ratebench

# The server is ended by its number however the demo ends. Status 4, the client
# was the limit, is something that the report says and no failure of the demo.
demo: build
	@set -eu; \
	said=$$(mktemp); server=; \
	trap 'test -z "$$server" || kill $$server 2>/dev/null || true; rm -f $$said' EXIT; \
	trap 'exit 130' INT TERM HUP; \
	bin/ratebench serve --workers 0 --delay 2ms >$$said & server=$$!; \
	tries=0; \
	until grep -q '^serving ' $$said; do \
		kill -0 $$server; tries=$$((tries + 1)); test $$tries -lt 100; sleep 0.1; \
	done; \
	url=$$(sed -n 's/^serving //p' $$said); \
	echo "\$$ ratebench --rate 300 --duration 10s $$url"; \
	bin/ratebench --rate 300 --duration 10s $$url || test $$? -eq 4

test: deps
	go test -timeout $(TESTTIME) ./...

check: deps
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	$(STATICCHECK) ./...
	go test -race -timeout $(TESTTIME) ./...

# Every fuzz test for FUZZTIME.
fuzz:
	@set -eu; \
	for package in $$(go list ./...); do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

# Writes the golden files anew, in the packages that have some.
golden:
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -run Golden -update

# ratebench beside other load generators, which it installs, on two quiet cores. About
# 20 minutes; BENCHFLAGS=-quick only shows that all works, bin/bench -h has the rest.
bench: deps build
	go build -o bin/bench ./cmd/bench
	bin/bench $(BENCHFLAGS)

# The five comparisons of testdata/suites, the quick way: a minute or two each. Their
# real sizes: bin/ratebench compare testdata/suites/seed3.yaml. Status 4, the client was
# the limit, is something that the table says: at quick sizes and on few cores it may be.
seeds: deps build
	go build -o bin/relay ./cmd/relay
	@set -eu; \
	mkdir -p bin/seeds; \
	for suite in testdata/suites/seed*.yaml; do \
		name=$$(basename $$suite .yaml); to=bin/seeds/$$name; \
		rm -rf $$to.trials; \
		echo; echo "\$$ ratebench compare --quick $$suite"; \
		bin/ratebench compare --quick --trials $$to.trials \
			-o $$to.txt -o $$to.md -o $$to.csv -o $$to.json -o $$to.html $$suite || test $$? -eq 4; \
	done

# The servers that the tests and seeds run against. Says and does nothing when all are
# there. None of them is started: the packages' scripts ask policy-rc.d, and
# apache2-bin is Apache without a service.
deps:
	@set -eu; \
	missing=; \
	for server in nginx:nginx-light lighttpd:lighttpd apache2:apache2-bin sshd:openssh-server ssh:openssh-client busybox:busybox ruby:ruby php:php-cli; do \
		command -v $${server%%:*} >/dev/null || missing="$$missing $${server#*:}"; \
	done; \
	for package in libapache2-mod-fcgid libapache2-mod-perl2 libfcgi-perl python3-paste php-fpm php-sqlite3 ruby-fcgi; do \
		test -d /usr/share/doc/$$package || missing="$$missing $$package"; \
	done; \
	test -n "$$missing" || exit 0; \
	echo "installing$$missing, which the tests and seeds run against"; \
	run=; test "$$(id -u)" = 0 || run=sudo; \
	policy=/usr/sbin/policy-rc.d; \
	if ! test -e $$policy; then \
		trap "$$run rm -f $$policy" EXIT; trap 'exit 130' INT TERM HUP; \
		printf '#!/bin/sh\nexit 101\n' | $$run tee $$policy >/dev/null; \
		$$run chmod 755 $$policy; \
	fi; \
	$$run apt-get -qq update >/dev/null; \
	$$run env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $$missing >/dev/null

clean:
	rm -rf bin
