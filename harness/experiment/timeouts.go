package experiment

import (
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// warnTimeouts warns of timeouts at hosts that are below twice the base RTT: what
// is waited for comes later, as soon as it meets a queue. A timeout is a time whose
// name ends in timeout or rto; 0 is no timeout, or one that the host derives.
func (l *loader) warnTimeouts(e Effective, c scenario.Components, baseRTT int64) {
	for i := range e {
		s := &e[i]
		ps, isTime := s.canonical.(int64)
		param := l.catalog.Component(s.Component).Param(s.Param)
		switch {
		case !isTime || param.Type != catalog.TypeTime || ps == 0 || ps >= 2*baseRTT:
		case !strings.HasSuffix(s.Param, "timeout") && !strings.HasSuffix(s.Param, "rto"):
		case !l.atHosts(s, c):
		default:
			at := l.file
			if s.at != nil {
				at = l.sources[s.at].position()
			}
			l.warn(at + ": " + s.Component + "." + s.Param + " is " + s.Value + ", less than twice the base RTT, " + units.FormatTime(baseRTT) +
				": an answer that waits in a queue comes after it; make it longer")
		}
	}
}

// atHosts says whether a component is one of hosts and in use: the timeout of
// the node model is that of the transport that stands there by default.
func (l *loader) atHosts(s *Setting, c scenario.Components) bool {
	for i := range l.catalog.Slots {
		slot := &l.catalog.Slots[i]
		if slot.Key == s.key {
			return slot.Host()
		}
		if s.key == "host" && slot.Key == "transport" {
			return c[slot.Key].One == nil || c[slot.Key].One.Type == slot.Default
		}
	}
	return false
}

// warn adds a warning about the experiment, once.
func (l *loader) warn(text string) {
	for _, other := range l.warnings {
		if other == text {
			return
		}
	}
	l.warnings = append(l.warnings, text)
}
