package sampler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var bootText = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// bootID is text without its end if it is a boot_id (random(4)), else empty.
func bootID(text []byte) string {
	if id := strings.TrimSpace(string(text)); bootText.MatchString(id) {
		return id
	}
	return ""
}

// identify gives each group its identity: the host's start, and of its processes the
// one with the lowest number. Containers share a kernel and with it the boot_id, but
// then the process with that number was started at another time.
func (g *groups) identify(v *view) {
	boot := v.boot
	if boot == "" {
		text, _ := g.files.read(v.proc + "/sys/kernel/random/boot_id")
		boot = bootID(text)
	}
	if boot == "" {
		return
	}
	for n, one := range g.list {
		var pids []int32
		for pid := range one.tree.extent(g.last, one.pids(nil)) {
			pids = append(pids, pid)
		}
		if len(pids) > 0 {
			p := g.last[slices.Min(pids)]
			g.infos[n].Identity = fmt.Sprintf("%s %d %d", boot, p.pid, p.start)
		}
	}
}
