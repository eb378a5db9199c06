genrun recover campaign.yaml
genrun status lost.yaml
genrun recover lost.yaml
genrun recover lost.yaml --json
genrun recover lost.yaml --yes
genrun status lost.yaml
genrun recover lost.yaml
genrun plan renamed.yaml
genrun plan renamed.yaml --continue former.lock.json
genrun plan renamed.yaml --continue none --quiet
genrun status renamed.yaml --continue former.json
genrun recover --help
