# Credentials and certificates that do not fit: 4, one sentence, no secret in it.
. "$(dirname "$0")/lib.bash"
cluster=$(k config view --raw -o jsonpath='{.clusters[0].name}')
server=$(k config view --raw -o jsonpath='{.clusters[0].cluster.server}')
k config view --raw -o jsonpath='{.clusters[0].cluster.certificate-authority-data}' | base64 -d > ca.crt
pki=$(dirname "$KUBETUTOR_LIVE_KUBECONFIG")/pki

# kubeconfig NAME CLUSTER-LINES USER-LINES
kubeconfig() {
  ( umask 077; printf 'apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters:\n- name: %s\n  cluster: {%s}\ncontexts:\n- name: x\n  context: {cluster: %s, user: u}\nusers:\n- name: u\n  user: {%s}\n' \
    "$cluster" "$2" "$cluster" "$3" > "$1.kubeconfig" )
}
refused() { # NAME REGEX
  local command
  for command in "check nginx" "play nginx" "reset nginx" "doctor"; do
    # shellcheck disable=SC2086 # a command and its argument
    expect 4 "$KUBETUTOR" --kubeconfig "$1.kubeconfig" --yes -n "$ns" $command
    says "$2"
    says_not 'secret-of-mine|PRIVATE KEY'
  done
  expect 4 "$KUBETUTOR" --kubeconfig "$1.kubeconfig" --yes -n "$ns" -v check nginx
  says_not 'secret-of-mine|PRIVATE KEY'
}
note "401"
kubeconfig token "server: \"$server\", certificate-authority: ca.crt" "token: secret-of-mine"
refused token 'Unauthorized|credentials|not accept|refused|log in'

note "nobody: 401 or 403"
kubeconfig nobody "server: \"$server\", certificate-authority: ca.crt" ""
refused nobody 'credentials|anonymous|may not|Unauthorized|Forbidden|forbidden'

note "an authority that did not sign the server's certificate"
openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -days 2 -subj /CN=other 2> /dev/null
kubeconfig wrong-ca "server: \"$server\", certificate-authority: other.crt" "token: secret-of-mine"
refused wrong-ca 'certificate'

note "a name that the certificate does not bear"
kubeconfig wrong-name "server: \"$server\", certificate-authority: ca.crt, tls-server-name: other.example" "token: secret-of-mine"
refused wrong-name 'certificate|other\.example'

note "an expired client certificate"
mkdir -p authority
: > authority/index
echo 01 > authority/serial
openssl req -newkey rsa:2048 -nodes -keyout old.key -out old.csr -subj /O=system:masters/CN=admin 2> /dev/null
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=authority/index\nserial=authority/serial\nnew_certs_dir=authority\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\norganizationName=optional\n' > authority/config
openssl ca -batch -config authority/config -cert "$pki/ca.crt" -keyfile "$pki/ca.key" -in old.csr -out old.crt -startdate 20200101000000Z -enddate 20200201000000Z -notext > /dev/null 2>&1 || fault "no expired certificate could be made"
kubeconfig expired "server: \"$server\", certificate-authority: ca.crt" "client-certificate: old.crt, client-key: old.key"
refused expired 'expired|Unauthorized|credentials|log in'

note "an address that nobody has"
kubeconfig nowhere "server: \"https://${server#https://}\", certificate-authority: ca.crt" "token: secret-of-mine"
sed -i -E 's,(server: "https://[0-9]+\.[0-9]+\.[0-9]+)\.[0-9]+:,\1.77:,' nowhere.kubeconfig
began=$SECONDS
expect 4 "$KUBETUTOR" --kubeconfig nowhere.kubeconfig check nginx
[ $((SECONDS - began)) -le 10 ] || fault "that took $((SECONDS - began)) seconds"

note "plain HTTP to an HTTPS port: the kubeconfig is wrong, not the cluster"
kubeconfig plain "server: \"http://${server#https://}\"" "token: secret-of-mine"
expect 3 "$KUBETUTOR" --kubeconfig plain.kubeconfig check nginx
says 'HTTPS'
