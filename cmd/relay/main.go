// Relay forwards TCP connections and delays what they carry, as distance does:
//
//	relay -delay 79ms 127.0.0.1:18111 127.0.0.1:18112
//
// listens on the first address and forwards to the second until it is ended. Each
// direction is late by the delay, 0 or more, and no narrower for it. What it cannot
// delay is the handshake, which the kernel answers, and TCP's slow start: a new
// connection costs one round trip here where distance takes two or more.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	delay := flag.Duration("delay", 0, "how late each direction is, such as 79ms")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: relay [-delay D] LISTEN TARGET")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 || *delay < 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *delay); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(address, target string, delay time.Duration) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	return serve(listener.(*net.TCPListener), target, delay)
}
