package executor

import (
	"testing"

	"github.com/orthd/orth/job"
)

// TestCertified: without a token an executor listens beyond loopback, or runs scripts, only
// where certificates identify both sides.
func TestCertified(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		spoil      func(c *Config)
		push, pull bool
	}{
		{"good", func(*Config) {}, true, true},
		{"the dialect is found out", func(c *Config) { c.Dialect = "auto" }, false, true}, // who pulls speaks no other
		{"another dialect", func(c *Config) { c.Dialect = "xxl-job" }, false, false},
		{"one server without TLS", func(c *Config) { c.Servers = append(c.Servers, "http://10.0.0.8:8080") }, false, false},
		{"no certificate of its own", func(c *Config) { c.TLS = TLS{ServerCA: "ca.pem"} }, false, false},
		{"servers show none", func(c *Config) { c.TLS.ClientCA = "" }, false, true},
	} {
		for _, pull := range []bool{false, true} {
			config := Config{
				Servers: []string{"https://10.0.0.7:8080"}, Group: "app", Dialect: "native", Listen: "0.0.0.0:9999", Scripts: true,
				TLS: TLS{Cert: "cert.pem", Key: "key.pem", ClientCA: "ca.pem"}, Pull: pull,
			}
			c.spoil(&config)
			want := c.push
			if pull {
				want = c.pull
			}
			_, err := New(config)
			if (err == nil) != want || !want && !job.Is(err, job.Invalid) {
				t.Errorf("%s, pull %t: %v; want it to be taken %t", c.name, pull, err, want)
			}
			if got := config.certificates() != nil; got != want {
				t.Errorf("%s, pull %t: certificates stand for a signature: %t", c.name, pull, got)
			}
			config.Token = "a-token-of-more-than-16"
			if config.certificates() != nil {
				t.Errorf("%s, pull %t: a certificate stands for the token that there is", c.name, pull)
			}
		}
	}
}
