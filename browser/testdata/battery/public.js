// The checks of public packages, told in the terms of battery.js: each of their rules
// is one, and is passed where it finds nothing.
window.publicChecks = async () => {
  const results = [];
  const rule = (group, name, found) => results.push({ group, name, ok: !found, got: found ? JSON.stringify(found) : '' });

  const botd = await import('/npm/@fingerprintjs/botd/dist/botd.esm.js');
  const components = await botd.collect(botd.sources);
  for (const [name, detect] of Object.entries(botd.detectors)) rule('@fingerprintjs/botd', name, detect(components));

  const { default: Scanner } = await import('/npm/fpscanner/dist/fpScanner.es.js');
  const print = await new Scanner().collectFingerprint({ encrypt: false });
  for (const [name, { detected }] of Object.entries(print.fastBotDetectionDetails)) rule('fpscanner', name, detected);

  await new Promise((done, fail) => document.head.append(Object.assign(document.createElement('script'), { src: '/npm/headless-detector/scripts/headless-detector.js', onload: done, onerror: fail })));
  const r = await window.detectHeadless();
  rule('headless-detector', 'webdriver', r.webdriver);
  rule('headless-detector', 'cdp', r.cdpArtifacts.detected);
  rule('headless-detector', 'userAgent', r.userAgentFlags.suspicious);
  rule('headless-detector', 'webgl', r.webglFlags.suspicious ?? r.webglFlags.isSoftwareRenderer);
  rule('headless-detector', 'worker', r.workerChecks.suspicious);
  rule('headless-detector', 'score below one half', r.isHeadless >= 0.5 && r.isHeadless);
  return results;
};
