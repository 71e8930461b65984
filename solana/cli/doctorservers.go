package cli

import (
	"context"
	"net/url"
)

// servers asks each Orth server that the node is to be an executor of, and shows it the token of its API.
func (d *doctor) servers(ctx context.Context) {
	r := &d.settings.Report
	for _, address := range r.Servers {
		check := "server " + hostOfServer(address)
		if err := d.server(ctx, check, address); err != nil {
			d.blame(check, "look at its address; executions go on without it", err)
		}
	}
	if len(r.Servers) > 0 && r.APIToken == "" {
		d.addCheck("runs", checkWarn, "name a token of the server's API by api-token-file", "executions do not become runs: there is no token for it")
	}
}

// server asks one.
func (d *doctor) server(ctx context.Context, check, address string) error {
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	for _, name := range []struct{ setting, path string }{
		{"executor-token-file", d.settings.Report.ExecutorToken}, {"group-token-file", d.settings.Report.GroupToken},
	} {
		if _, err := d.settings.token(name.setting, name.path); err != nil {
			return err
		}
	}
	api, err := d.settings.apiClient(address)
	if err != nil {
		return err
	}
	if err := api.Healthy(ctx); err != nil {
		return err
	}
	if d.settings.Report.APIToken == "" {
		d.addCheck(check, checkOK, "", "it answers")
		return nil
	}
	me, err := api.Me(ctx)
	if err != nil {
		return err
	}
	d.addCheck(check, checkOK, "", "it answers, and knows the token for the API as %s", me.Name)
	return nil
}

// hostOfServer is the part of an address that may be shown.
func hostOfServer(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "without a host"
}
