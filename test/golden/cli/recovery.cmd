genrun status campaign.yaml
genrun adopt campaign.yaml hreo r_81
genrun adopt campaign.yaml hero ..
genrun adopt campaign.yaml hero r_81
genrun adopt campaign.yaml hero r_82
genrun status campaign.yaml
genrun status campaign.yaml --json
genrun plan campaign.yaml
genrun resolve campaign.yaml hero
genrun resolve campaign.yaml --abandon
genrun resolve campaign.yaml --before yesterday --abandon
genrun resolve campaign.yaml hero --adopt r_1 --abandon
genrun resolve campaign.yaml h* --abandon
genrun resolve campaign.yaml hero --abandon
genrun status campaign.yaml
genrun resolve campaign.yaml hero --resubmit
genrun status campaign.yaml
