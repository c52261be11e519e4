package report

import (
	"strings"

	"ratebench/attack/record"
)

// serverColumns are the sums over all watched servers but those within others:
// empty if there is none, or if the figure is not known of one of them.
func serverColumns() []column[*Document] {
	return []column[*Document]{
		{"server_names", serverNames},
		summed("server_cpu_s", func(s *Server) record.Number { return s.CPU }),
		summed("server_cpu_user_s", func(s *Server) record.Number { return s.CPUUser }),
		summed("server_cpu_system_s", func(s *Server) record.Number { return s.CPUSystem }),
		summed("server_cpu_cores", func(s *Server) record.Number { return s.Cores }),
		summed("server_cpu_s_per_reply", func(s *Server) record.Number { return s.CPUPerReply }),
		{"server_cpu_s_per_reply_precision", func(d *Document) string { return number(precisionOfSum(d)) }},
		summed("server_rss_peak_bytes", func(s *Server) record.Number { return s.RSSPeak }),
		{"server_listen_drops", listenDrops},
	}
}

// serverNames are the titles of the servers that the sums are of, with a semicolon
// between and escaped as on a terminal, those of hosts that could not be watched by their host.
func serverNames(d *Document) string {
	var names []string
	for i := range d.Server {
		switch s := &d.Server[i]; {
		case s.Within != "":
		case s.Source == "":
			names = append(names, shown(hostTitle(s.Host)))
		default:
			names = append(names, shown(s.title()))
		}
	}
	return strings.Join(names, "; ")
}

func summed(name string, of func(*Server) record.Number) column[*Document] {
	return column[*Document]{name, func(d *Document) string { return number(sumOf(d, of)) }}
}

// listenDrops are those of all hosts, empty if none was watched or one does not tell.
func listenDrops(d *Document) string {
	if len(d.Hosts) == 0 {
		return ""
	}
	var sum record.Number
	for i := range d.Hosts {
		sum += d.Hosts[i].Drops
	}
	return number(sum)
}
