package attack

import (
	"fmt"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// timeWait is how many seconds a closed connection keeps its local port busy (the
// kernel's TCP_TIMEWAIT_LEN).
const timeWait = 60

// preflight tells before the run what the client is going to run out of. It asks
// for nothing that the run may not need after all, so it only warns.
func preflight(p *plan.Plan, asked int) []record.Finding {
	var findings []record.Finding
	if p.MaxConnections < asked && asked != plan.DefaultMaxConnections {
		findings = append(findings, record.Finding{
			Code:   "descriptor_limit",
			Text:   fmt.Sprintf("%d connections were asked for, the descriptor limit (ulimit -n) leaves %d", asked, p.MaxConnections),
			Value:  record.Number(asked),
			Limit:  record.Number(p.MaxConnections),
			Status: record.Suspect,
		})
	}
	if f := ports(p); f != nil {
		findings = append(findings, *f)
	}
	return findings
}

// ports compares the rate of new connections with the local ports that come free:
// a port rests for a minute after the side that closes first has closed. Loopback
// reuses resting ports (tcp_tw_reuse is 2 by default), so it is left out.
func ports(p *plan.Plan) *record.Finding {
	low, high := localPorts()
	if p.RequestsPerConnection == 0 || high < low || onThisMachine(p) {
		return nil
	}
	destinations := 0
	for _, list := range p.Addresses {
		destinations += len(list)
	}
	sustained := float64(high-low+1) / timeWait * float64(max(len(p.Sources), 1)*max(destinations, 1))
	opened := p.PeakRate() / float64(p.RequestsPerConnection)
	if opened <= sustained || p.Window().Seconds()*opened <= sustained*timeWait {
		return nil
	}
	return &record.Finding{
		Code: "local_ports",
		Text: fmt.Sprintf("%.0f new connections/s may use up the local ports %d–%d, which sustain %.0f/s: reuse connections or add source addresses",
			opened, low, high, sustained),
		Value:  record.Number(opened),
		Limit:  record.Number(sustained),
		Status: record.Suspect,
	}
}
