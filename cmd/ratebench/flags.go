package main

import (
	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
)

// Headings of the help text, in its order.
const (
	aboutLoad        = "Load"
	aboutRequests    = "Requests"
	aboutConnections = "Connections"
	aboutTLS         = "TLS"
	aboutServer      = "Server"
	aboutOutput      = "Output"
)

// runFlags are the options of a run. All values are texts that options.go
// reads: cli would stop at the first one that is wrong.
func runFlags() []cli.Flag {
	var flags []cli.Flag
	for _, group := range [][]cli.Flag{loadFlags(), requestFlags(), connectionFlags(), tlsFlags(), serverFlags(), outputFlags()} {
		flags = append(flags, group...)
	}
	return flags
}

func loadFlags() []cli.Flag {
	return []cli.Flag{
		value(aboutLoad, "rate", "`RATE` of requests offered: 300, 0.5, 2.5/s, 30/m, 90/h"),
		value(aboutLoad, "ramp", "offer a rate that changes evenly over --duration instead: `FROM..TO`, as in 100..400"),
		value(aboutLoad, "concurrency", "keep `N` requests in flight instead, as ab does: a closed loop, which a slow server slows"),
		value(aboutLoad, "total", "stop after `N` requests"),
		value(aboutLoad, "duration", "stop after `TIME`; with --total, whichever ends first (default "+plan.DefaultDuration.String()+" without --total)"),
		value(aboutLoad, "arrivals", "`PROCESS`: uniform (default) or poisson"),
		value(aboutLoad, "seed", "`N` that poisson arrivals are drawn from (default 1: the same each time)"),
		value(aboutLoad, "warmup", "offer the same load (of a ramp the first rate) for `TIME` before the measurement"),
		value(aboutLoad, "timeout", "give a request up `TIME` after it was due (default "+plan.DefaultTimeout.String()+")"),
		value(aboutLoad, "deadline", "count a reply as good up to `TIME` after it was due (default: --timeout)"),
		value(aboutLoad, "expect", "count these `STATUSES` as good: 2xx,304 or 200-299 (default 200-399)"),
		list(aboutLoad, "objective", "exit with 3 unless the run meets `LIMIT`, as in p99<250ms, errors<0.1% or goodput>=99%; repeatable"),
	}
}

func requestFlags() []cli.Flag {
	return []cli.Flag{
		value(aboutRequests, "method", "`METHOD` (default GET, with a body POST)", "X"),
		list(aboutRequests, "header", "send `'NAME: VALUE'` with each request; repeatable", "H"),
		value(aboutRequests, "body", "send `TEXT` as the body"),
		value(aboutRequests, "body-file", "send the content of `FILE` as the body"),
		value(aboutRequests, "targets", "send the requests of `FILE` in turn: vegeta's http or json format"),
	}
}

func connectionFlags() []cli.Flag {
	return []cli.Flag{
		value(aboutConnections, "requests-per-connection", "`N` requests on each connection, 0 for no limit (default 1)"),
		toggle(aboutConnections, "keepalive", "the same as --requests-per-connection 0"),
		value(aboutConnections, "max-connections", "open at most `N` at once; a due request beyond that waits (default: as descriptors allow, at most 10000)"),
		value(aboutConnections, "source", "connect from these `ADDRESSES` in turn: 10.0.0.2,10.0.0.3"),
		toggle(aboutConnections, "4", "use IPv4 only"),
		toggle(aboutConnections, "6", "use IPv6 only"),
		value(aboutConnections, "unix-socket", "connect to the socket at `PATH` instead of the URL's host"),
		value(aboutConnections, "engine", "`NAME`: auto (default), epoll or vegeta"),
		value(aboutConnections, "loops", "`N` threads of the epoll engine (default: by rate and cores)"),
		value(aboutConnections, "timestamps", "`SOURCE` of receive times: kernel (default) or user"),
		value(aboutConnections, "priority", "`LEVEL` of the epoll engine's threads: auto (default), normal or high"),
		toggle(aboutConnections, "http2", "speak HTTP/2"),
	}
}

func tlsFlags() []cli.Flag {
	return []cli.Flag{
		toggle(aboutTLS, "insecure", "accept any certificate"),
		value(aboutTLS, "ca", "trust the PEM certificates in `FILE` instead of the system's"),
		value(aboutTLS, "cert", "show the server the PEM certificate in `FILE`; needs --key"),
		value(aboutTLS, "key", "PEM `FILE` with the key of --cert"),
		value(aboutTLS, "server-name", "expect and ask for `NAME` instead of the URL's host"),
		toggle(aboutTLS, "tls-resume", "resume sessions instead of a full handshake for each connection"),
	}
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		value(aboutOutput, "format", "print the report as `FORMAT`: text (default), httperf, json, csv, csv-summary, hdr, html, svg, png or pdf"),
		list(aboutOutput, "output", "write the report to `FILE` too, as its ending says: .txt .httperf .json .csv .summary.csv .hdr .html .svg .png .pdf; repeatable", "o"),
		value(aboutOutput, "log", "write each request to `FILE`, .json, .csv or .gob, for vegeta's commands"),
		toggle(aboutOutput, "quiet", "show no progress"),
		toggle(aboutOutput, "version", "print the version"),
	}
}

func value(about, name, usage string, aliases ...string) cli.Flag {
	return &cli.StringFlag{Category: about, Name: name, Usage: usage, Aliases: aliases}
}

// list is a repeatable option; each of its values is kept as it is.
func list(about, name, usage string, aliases ...string) cli.Flag {
	return &cli.StringSliceFlag{Category: about, Name: name, Usage: usage, Aliases: aliases, KeepSpace: true}
}

func toggle(about, name, usage string) cli.Flag {
	return &cli.BoolFlag{Category: about, Name: name, Usage: usage, DisableDefaultText: true}
}
