//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// nginxCounts is what nginx says of itself. The request that asks, and its
// connection, are included.
type nginxCounts struct {
	active   uint64 // connections open
	requests uint64 // since its start
}

// settled returns nginx's count of requests other than those that asked for it,
// when no connection but the one that asks is open, or after 5 s: what one client
// left behind is not to be served in another's time. It reports false if nginx
// does not say.
func (n *nginx) settled(ctx context.Context) (requests uint64, ok bool) {
	for range 100 {
		n.asked++
		page, err := get(ctx, n.url+"status")
		if err != nil {
			return 0, false
		}
		counts, err := readStatus(page)
		if err != nil {
			return 0, false
		}
		requests = counts.requests - n.asked
		if counts.active <= 1 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return requests, true
}

// readStatus reads the page of nginx's stub_status module.
func readStatus(page string) (c nginxCounts, err error) {
	match := regexp.MustCompile(`Active connections: (\d+)\s+server accepts handled requests\s+\d+ \d+ (\d+)`).FindStringSubmatch(page)
	if match == nil {
		return c, fmt.Errorf("nginx status %q: no counts", page)
	}
	if c.active, err = strconv.ParseUint(match[1], 10, 64); err != nil {
		return c, err
	}
	c.requests, err = strconv.ParseUint(match[2], 10, 64)
	return c, err
}
