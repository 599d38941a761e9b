/**
 * Bodies of amoCRM's webhooks as they travel: brackets and Cyrillic percent-encoded, a space as `+`, the account last. Their
 * shape is the one of https://www.amocrm.ru/developers/content/crm_platform/webhooks-format; ids and names are made up.
 */

/** One deal that came to the stage, with tags and two of the three shapes of fields. */
export const MOVED = [
  "leads%5Bstatus%5D%5B0%5D%5Bid%5D=40510023",
  "leads%5Bstatus%5D%5B0%5D%5Bname%5D=%D0%92%D0%BE%D1%80%D0%BE%D1%82%D0%B0+%D0%BE%D1%82%D0%BA%D0%B0%D1%82%D0%BD%D1%8B%D0%B5%2C+%D0%B4.+7",
  "leads%5Bstatus%5D%5B0%5D%5Bstatus_id%5D=61200305",
  "leads%5Bstatus%5D%5B0%5D%5Bold_status_id%5D=61200302",
  "leads%5Bstatus%5D%5B0%5D%5Bprice%5D=184000",
  "leads%5Bstatus%5D%5B0%5D%5Bresponsible_user_id%5D=9900114",
  "leads%5Bstatus%5D%5B0%5D%5Blast_modified%5D=1790000000",
  "leads%5Bstatus%5D%5B0%5D%5Bmodified_user_id%5D=9900114",
  "leads%5Bstatus%5D%5B0%5D%5Bcreated_user_id%5D=9900114",
  "leads%5Bstatus%5D%5B0%5D%5Bdate_create%5D=1789913600",
  "leads%5Bstatus%5D%5B0%5D%5Bpipeline_id%5D=7300118",
  "leads%5Bstatus%5D%5B0%5D%5Btags%5D%5B0%5D%5Bid%5D=551200",
  "leads%5Bstatus%5D%5B0%5D%5Btags%5D%5B0%5D%5Bname%5D=%D0%B4%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B0%5D%5Bid%5D=880341",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B0%5D%5Bname%5D=%D0%94%D0%B0%D1%82%D0%B0+%D0%BC%D0%BE%D0%BD%D1%82%D0%B0%D0%B6%D0%B0",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B0%5D%5Bvalues%5D%5B0%5D=1790600400",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B1%5D%5Bid%5D=880343",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B1%5D%5Bname%5D=%D0%A2%D0%B8%D0%BF+%D0%BF%D1%80%D0%B8%D0%B2%D0%BE%D0%B4%D0%B0",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B1%5D%5Bvalues%5D%5B0%5D%5Bvalue%5D=%D0%A6%D0%B5%D0%BF%D0%BD%D0%BE%D0%B9",
  "leads%5Bstatus%5D%5B0%5D%5Bcustom_fields%5D%5B1%5D%5Bvalues%5D%5B0%5D%5Benum%5D=1422007",
  "leads%5Bstatus%5D%5B0%5D%5Baccount_id%5D=31700412",
  "leads%5Bstatus%5D%5B0%5D%5Bcreated_at%5D=1789913600",
  "leads%5Bstatus%5D%5B0%5D%5Bupdated_at%5D=1790000000",
  "account%5Bsubdomain%5D=hw-sample",
  "account%5Bid%5D=31700412",
  "account%5B_links%5D%5Bself%5D=https%3A%2F%2Fhw-sample.amocrm.ru",
].join("&");

/** Two deals in one delivery, the second one from another pipeline. */
export const MOVED_TOGETHER = [
  "leads%5Bstatus%5D%5B0%5D%5Bid%5D=40510023",
  "leads%5Bstatus%5D%5B0%5D%5Bstatus_id%5D=61200305",
  "leads%5Bstatus%5D%5B0%5D%5Bpipeline_id%5D=7300118",
  "leads%5Bstatus%5D%5B0%5D%5Bold_status_id%5D=61200302",
  "leads%5Bstatus%5D%5B0%5D%5Bold_pipeline_id%5D=7300118",
  "leads%5Bstatus%5D%5B1%5D%5Bid%5D=40510031",
  "leads%5Bstatus%5D%5B1%5D%5Bstatus_id%5D=61200305",
  "leads%5Bstatus%5D%5B1%5D%5Bpipeline_id%5D=7300118",
  "leads%5Bstatus%5D%5B1%5D%5Bold_status_id%5D=61200301",
  "leads%5Bstatus%5D%5B1%5D%5Bold_pipeline_id%5D=7300120",
  "account%5Bsubdomain%5D=hw-sample",
  "account%5Bid%5D=31700412",
  "account%5B_links%5D%5Bself%5D=https%3A%2F%2Fhw-sample.amocrm.ru",
].join("&");

const ACCOUNT = {
  "account[subdomain]": "hw-sample",
  "account[id]": "31700412",
  "account[_links][self]": "https://hw-sample.amocrm.ru",
};

const OTHER_PAIRS: readonly Record<string, string>[] = [
  {
    "leads[note][0][note][id]": "771400561",
    "leads[note][0][note][text]": "Договор v3 готов",
    "leads[note][0][note][note_type]": "4",
    "leads[note][0][note][element_id]": "40510023",
    "leads[note][0][note][date_create]": "2026-09-21 17:13:20",
  },
  {
    "contacts[update][0][id]": "52200917",
    "contacts[update][0][type]": "contact",
    "contacts[update][0][linked_leads_id][40510023][ID]": "40510023",
    "contacts[update][0][custom_fields][0][code]": "PHONE",
    "contacts[update][0][custom_fields][0][values][0][value]": "+70000000001",
    "contacts[update][0][custom_fields][1][values][value]": "Да",
  },
  {
    "leads[delete][0][id]": "40510044",
    "leads[delete][0][status_id]": "143",
    "leads[delete][0][pipeline_id]": "7300118",
  },
];
/** What else comes to a receiver that is subscribed to more than it needs, none of which asks for a contract. */
export const OTHERS = OTHER_PAIRS.map((pairs) =>
  new URLSearchParams({ ...pairs, ...ACCOUNT }).toString()
);
